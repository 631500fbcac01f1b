"""Files that Treadle writes for users: they are replaced atomically. Pipes, devices and links are preserved."""

import errno
import os
import stat
from contextlib import suppress

# Errors that mean that a file cannot be replaced, though it may itself be writable: a folder of another user, a mounted
# file.
_ONLY_IN_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV)
_MOST_LINKS = 40


class WholeFile:
    """A path to be written. A file is written next to the existing one, which it replaces at `replace`; anything else,
    and a file that cannot be replaced, is written in place.

    `begin`, then writing to `descriptor`, then `replace`; `abandon` at any time. OSErrors name the path that was given.
    """

    def __init__(self, path):
        self.path = os.fsdecode(path)
        self.descriptor = -1
        self._opened: tuple = ()  # the identity of that file
        self._beside = ""  # the temporary file to be renamed
        self._state: os.stat_result | None = None
        try:
            self._state = os.stat(self.path)
        except FileNotFoundError:
            if not self.path or self.path.endswith(os.sep):
                raise
        if self._state is not None and stat.S_ISDIR(self._state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        self.is_replaced = self._state is None or stat.S_ISREG(self._state.st_mode)
        # Aliases of a process's open files, such as /dev/stdout, must not be replaced by another file.
        self.is_replaced &= not _is_of_a_process(self.path)
        # Absolute, with links resolved: links are preserved, and the program may change its directory.
        self.target = os.path.realpath(self.path) if self.is_replaced else os.path.abspath(self.path)

    def begin(self):
        """Opens the file to write; does not change an existing one. Returns the descriptor."""
        with _NamedErrors(self.path):
            if self.is_replaced:
                self._open_beside()
            if not self.is_replaced:
                self._open(self.target, 0)
        return self.descriptor

    def _open_beside(self):
        if self._state is not None and not os.access(self.target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        name = f".treadle-{os.urandom(8).hex()}.new"
        beside = os.path.join(os.path.dirname(self.target), name)
        try:
            self._open(beside, os.O_EXCL | os.O_NOFOLLOW)
        except OSError as error:
            if self._state is None or error.errno not in _ONLY_IN_PLACE:
                raise
            self.is_replaced = False
            return
        self._beside = beside
        if self._state is not None:
            os.fchmod(self.descriptor, self._state.st_mode & 0o777)

    def _open(self, path, flags):
        flags |= os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY
        self.descriptor = os.open(path, flags, 0o666)
        self._opened = _identity(self.descriptor)

    def is_open(self):
        """Whether the descriptor still refers to the opened file: a program that daemonises closes all of its
        descriptors."""
        try:
            return self.descriptor >= 0 and _identity(self.descriptor) == self._opened
        except OSError:
            return False

    def empty(self):
        """Call before writing: truncates a file that is written in place."""
        with _NamedErrors(self.path):
            if not self.is_open():
                raise OSError(errno.EBADF, "the program has closed the descriptor of the file")
            if stat.S_ISREG(os.fstat(self.descriptor).st_mode):
                os.ftruncate(self.descriptor, 0)

    def write(self, data):
        """All of the file's bytes."""
        self.empty()
        with _NamedErrors(self.path), open(self.descriptor, "wb", buffering=0, closefd=False) as file:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]

    def replace(self):
        """Ends writing: the written data becomes the file."""
        with _NamedErrors(self.path):
            beside, self._beside = self._beside, ""
            try:
                if beside:
                    os.replace(beside, self.target)
            except OSError as error:
                if error.errno not in _ONLY_IN_PLACE:
                    _remove(beside)
                    raise
                self._copy_from(beside)
            finally:
                self._close()

    def _copy_from(self, beside):
        try:
            with open(beside, "rb") as written, open(self.target, "wb") as file:
                file.write(written.read())
        finally:
            _remove(beside)

    def abandon(self):
        """Keeps the existing file."""
        beside, self._beside = self._beside, ""
        if beside:
            _remove(beside)
        self._close()

    def _close(self):
        descriptor = self.descriptor if self.is_open() else -1
        self.descriptor = -1
        if descriptor >= 0:
            os.close(descriptor)


class _NamedErrors:
    """System errors inside it name the user's path."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if isinstance(error, OSError):
            error.filename, error.filename2 = self.path, None


def _identity(descriptor):
    state = os.fstat(descriptor)
    return state.st_dev, state.st_ino


def _is_of_a_process(path):
    for _ in range(_MOST_LINKS):
        if not os.path.islink(path):
            return False
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.realpath(folder).startswith("/proc/"):
            return True
        path = os.path.join(folder, os.readlink(path))
    return False


def _remove(path):
    with suppress(FileNotFoundError):
        os.unlink(path)


def write_files(contents):
    """Writes [(path, bytes)]: all of the files, or, if one cannot be written, none. Raises OSError, and ValueError if
    two of the paths are the same file.
    """
    files = [WholeFile(path) for path, _ in contents]
    check_apart(files)
    try:
        for file in files:
            file.begin()
        # Data written to pipes and devices cannot be undone.
        for file, (_, data) in sorted(zip(files, contents), key=lambda one: not one[0].is_replaced):
            file.write(data)
        for file in files:
            file.replace()
    except BaseException:
        for file in files:
            file.abandon()
        raise


def check_apart(files):
    """Raises ValueError if two are the same file, as the second would replace the first."""
    known: dict = {}
    for file in files:
        other = known.setdefault(file.target, file)
        if other is not file and file.is_replaced:
            raise ValueError(f"{other.path!r} and {file.path!r} are one file, and both would be written: name two")
