"""The texts that a function may have been compiled from: files, texts of `exec`, notebooks, prompts, standard input.

`source` decides which of them it was. Since files are edited and texts of `exec` are dropped, `hold` keeps them when a
function is decorated. Imports nothing that Python has not already loaded.
"""

import os
import sys
from _weakref import ref
from stat import S_ISREG
from time import time_ns

from treadle._core import exec_text, exec_texts

_STANDARD_INPUT = "<stdin>"
# The name under which ast.parse compiles: the tree may be compiled under another.
_PARSED = "<unknown>"
# How many texts of `exec` that contain its name are held for a function.
_MAX_HELD = 16
_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: the code of a function
# How many enclosing frames may hold the text that a frame runs in a variable.
_CALLERS = 8
# Nanoseconds within which a file may change twice with the same modification time.
_TICK = 100_000_000

_EXEC_HELP = (
    "put the function into a file, import treadle before the text is compiled, or compile the text of a file under the "
    'file\'s name, exec(compile(text, path, "exec")); saved code, and syntax trees that were changed, have no text'
)
_INPUT_HELP = (
    'save the program as a file and run that, or run it as python -c "$(cat program.py)": '
    "Python keeps no text of what it reads from a pipe or, before 3.13, at its prompt without readline"
)


def advice(file):
    """What to do if no text is available."""
    if file == _STANDARD_INPUT:
        return _INPUT_HELP
    if file.startswith("<"):
        return _EXEC_HELP
    return f"compiling needs the source: see that {file} is there"


def texts_of(function):
    """Yield (lines, belongs) of each text that the function's line numbers may refer to.

    `belongs`: the function is known to be in this text; otherwise it is one of several texts under the same name.
    """
    code = function.__code__
    file, module = code.co_filename, function.__globals__
    held = _held.get(id(code), (None, ()))[1]
    for text in held:
        yield (_file_lines(text), True) if isinstance(text, bytes) else (_split(_text_of(text)), False)
    data = _read(_path(file, module))
    if data is not None and data not in held:
        yield _file_lines(data), True
    for text in _compiled_texts(code):
        yield _split(text), False
    for lines in (_cached_lines(file, module), _loader_lines(file, module)):
        if lines is not None:
            yield lines, True
    if file == _STANDARD_INPUT:
        for lines in _typed_lines(code):
            yield lines, False
    if data is None:
        for text in (*_texts_of_callers(code), *_cells()):
            yield _split(text), False


# --- texts that are held ---------------------------------------------------------------------------------------------

# By the address of a code object: a weak reference to it, and what it may have been compiled from: a file's bytes, or
# texts, some of them as the extension has recorded them.
_held: dict = {}


def hold(function):
    """Keep the function's text as it is now until `release`, or as long as its code lives. Parses nothing."""
    code = function.__code__
    data = _read(_path(code.co_filename, function.__globals__))
    texts = (data,) if data is not None else (*_exec_texts(code, _MAX_HELD), *_texts_of_callers(code))
    if texts:
        key = id(code)
        _held[key] = (ref(code, lambda _: _held.pop(key, None)), texts)


def hold_text(code, text):
    """`hold`, for code that was restored: its line numbers are those of this text."""
    key = id(code)
    _held[key] = (ref(code, lambda _: _held.pop(key, None)), (text.encode(),))


def release(code):
    """Undo `hold`."""
    _held.pop(id(code), None)


# --- files -----------------------------------------------------------------------------------------------------------

# The path and state of the file read last, and its bytes.
_last_file: tuple = (None, None)


def _path(file, module):
    """The file's absolute path, even if the program has changed its working directory since it started."""
    known = module.get("__file__")
    if isinstance(known, str) and not os.path.isabs(file) and os.path.basename(known) == os.path.basename(file):
        return known
    return file


def _read(file):
    """Bytes of a file on disk; None if there is none, or if it can be read only once. The last file is cached."""
    global _last_file
    if file == _STANDARD_INPUT:
        file = 0
    elif file.startswith("<") and file.endswith(">"):
        return None
    try:
        facts = os.stat(file)
        if not S_ISREG(facts.st_mode):
            return None
        key = (file, facts.st_mtime_ns, facts.st_size, facts.st_dev, facts.st_ino)
        if _last_file[0] != key or time_ns() - facts.st_mtime_ns < _TICK:
            data = os.pread(0, facts.st_size, 0) if file == 0 else _contents(file)
            _last_file = (key, _last_file[1] if _last_file[1] == data else data)
        return _last_file[1]
    except (OSError, ValueError):
        return None


def _contents(file):
    with open(file, "rb") as stream:
        return stream.read()


# The bytes that were split last, and their lines: a file's functions are compiled in sequence.
_last_lines: tuple = (None, None)


def _file_lines(data):
    """The lines of a file's bytes. They are not to be changed."""
    global _last_lines
    if _last_lines[0] is not data:
        _last_lines = (data, _split(_decode(data)))
    return _last_lines[1]


def _split(text):
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _decode(data):
    """Decodes as UTF-8, or as declared in the file's first two lines."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if b"coding" in b"".join(data.split(b"\n", 2)[:2]):
        from io import BytesIO
        from tokenize import detect_encoding

        encoding, _ = detect_encoding(BytesIO(data).readline)
        return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


# --- texts kept by other modules -------------------------------------------------------------------------------------


def _cached_lines(file, module_globals):
    """The lines in linecache, without importing it: whatever fills it has imported it (IPython, doctest).

    Not under "<string>", the name of all texts of `exec`: Python 3.13 puts the program of `python -c` there.
    """
    linecache = sys.modules.get("linecache")
    if linecache is None or file == "<string>":
        return None
    lines = linecache.getlines(file, module_globals)
    return _split("".join(lines)) if lines else None


def _loader_lines(file, module_globals):
    """The text from the module's loader: modules inside archives."""
    if file.startswith("<"):
        return None
    loader = module_globals.get("__loader__")
    get_source = getattr(loader, "get_source", None)
    try:
        text = get_source(module_globals.get("__name__")) if get_source else None
    except (ImportError, OSError):
        text = None
    return _split(text) if text else None


# --- texts without a file --------------------------------------------------------------------------------------------


def _word(code):
    """A word that is in every text containing the function."""
    return "lambda" if code.co_name == "<lambda>" else code.co_name


def _exec_texts(code, limit=0):
    """References to the texts recorded by the extension, latest first; `limit` 0: all."""
    names = dict.fromkeys((code.co_filename, _PARSED))
    return [text for name in names for text in exec_texts(name, _word(code), limit)]


def _text_of(held):
    return held if isinstance(held, str) else exec_text(held)


def _compiled_texts(code):
    yield from map(_text_of, _exec_texts(code))
    if code.co_filename == "<string>":
        yield from _command_texts(sys.orig_argv)


def _texts_of_callers(code):
    """Texts in variables around the frames that run code of this file name: texts passed to exec() by a program,
    by cProfile or by IPython's %%time before the extension could record it."""
    found: list = []
    callers = 0
    for frame in _frames_from(sys._getframe(1)):
        if callers > 0:
            callers -= 1
            found += [text for text in _variables(frame) if _word(code) in text]
        if frame.f_code.co_filename == code.co_filename:
            callers = _CALLERS
        if len(found) >= _MAX_HELD:
            break
    return found


def _frames_from(frame):
    """The frame and those that called it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _variables(frame):
    """The texts among the variables of a function or module, and those that Timers among them run."""
    # The variables of a class body or of exec() may be any object.
    if type(frame.f_locals) is not dict and not frame.f_code.co_flags & _OPTIMIZED:
        return
    for value in list(frame.f_locals.values()):
        if type(value).__name__ == "Timer":  # timeit's, which is __main__'s under python -m timeit
            value = getattr(value, "src", None)
        if type(value) is str:
            yield value
        elif type(value) is bytes:
            yield _decode(value)


def _cells():
    """The cells of IPython that begin with a magic, without its line, latest first."""
    shell_of = getattr(sys.modules.get("IPython"), "get_ipython", None)
    history = getattr(shell_of() if shell_of else None, "history_manager", None)
    for cell in reversed(getattr(history, "input_hist_raw", ())):
        if cell.startswith("%%"):
            yield cell.partition("\n")[2]


def _command_texts(arguments):
    """Candidates for the text of `python -c text`: the option may be combined with others, as in `-Ic`."""
    for index, argument in enumerate(arguments[1:], 1):
        if argument.startswith("-") and "c" in argument:
            text = argument.partition("c")[2] or "".join(arguments[index + 1 : index + 2])
            yield text
            # Python 3.14 removes common indentation.
            yield "if 1:\n" + text


def _typed_lines(code):
    """Where the function may be in the prompt's readline history; the prompt counts the lines of each statement from 1.

    The history omits empty lines, and lines equal to the previous one.
    """
    readline = sys.modules.get("readline")
    if readline is None:
        return
    lines = [readline.get_history_item(n) or "" for n in range(1, readline.get_current_history_length() + 1)]
    above = code.co_firstlineno - 1
    for at in range(len(lines) - 1, above - 1, -1):
        line = lines[at].lstrip()
        if "lambda" in line if code.co_name == "<lambda>" else line.startswith(("@", "def ")):
            yield lines[at - above :]
