"""`treadle.trace`: records what Treadle does into a file that trace viewers show."""

import os

from treadle import _core

# At exit the file is written without what has not run by then.
_EXIT_MILLISECONDS = 2000
_active: "dict[str, Trace]" = {}


class Trace:
    """trace(path): records launches, copies, allocations, compilations and waits, and when the device ran what.

    `with trace("run.json"):` records its block; `start()` and `stop()` do the same without one. The file, a path as
    `open` takes it, is in Chrome's trace event format: https://ui.perfetto.dev and chrome://tracing show it. It is
    written when recording ends, at exit at the latest, and replaces what was there. Times are in microseconds since
    `start`.

    One trace is recorded at a time, of all threads and devices of the process; a child of a fork records nothing.
    Recording takes about a microsecond for each event; where nothing is recorded, launches take as long as ever.

    >>> import treadle
    >>> from treadle import cuda
    >>> with treadle.trace("/tmp/treadle-example.json"):
    ...     a = cuda.to_device([1.0, 2.0])
    ...     b = a.copy_to_host()
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        self._file = -1  # its descriptor, while recording
        self._process = 0

    def start(self):
        """Begins to record, and returns the trace.

        Raises OSError if the file cannot be written, and RuntimeError if a trace is being recorded already.
        """
        if _core.is_tracing():
            raise RuntimeError(f"a trace is being recorded{_where()}: stop that one before starting {self.path!r}")
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            _core.trace_start()
        except BaseException:
            os.close(file)
            raise
        self._file, self._process = file, os.getpid()
        _at_exit()
        _active["trace"] = self
        return self

    def stop(self):
        """Waits for what was queued on all streams, ends the recording, and writes the file.

        Failures of queued work are raised by the next call that waits for its stream, as ever. Raises OSError if the
        file cannot be written, RuntimeError if this trace is not being recorded, and KeyboardInterrupt, after the file
        was written, if the wait is interrupted.
        """
        if self._file < 0:
            raise RuntimeError(f"the trace {self.path!r} is not being recorded: call its start() first")
        self._finish(-1)

    def _finish(self, milliseconds):
        file, self._file = self._file, -1
        if _active.get("trace") is self:
            del _active["trace"]
        try:
            if os.getpid() == self._process:  # the file of a forked child is its parent's
                _empty(file)
                _core.trace_stop(file, _names_of_threads(), milliseconds)
        except OSError as error:
            error.filename = self.path
            raise
        finally:
            os.close(file)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self._file >= 0:
            self.stop()

    def __repr__(self):
        return f"<trace {self.path!r}{', being recorded' if self._file >= 0 else ''}>"


def _where():
    return f" into {_active['trace'].path!r}" if "trace" in _active else ""


def _empty(file):
    import stat

    if stat.S_ISREG(os.fstat(file).st_mode):
        os.ftruncate(file, 0)


def _names_of_threads():
    """{the system's number of a thread: its name in Python}."""
    import sys

    threading = sys.modules.get("threading")
    threads = threading.enumerate() if threading else []
    names = {thread.native_id: thread.name for thread in threads if thread.native_id is not None}
    names.setdefault(os.getpid(), "MainThread")
    return names


def _at_exit():
    import atexit

    atexit.unregister(_finish_active)  # so that it is there once, and runs before handlers that were there before
    atexit.register(_finish_active)


def _finish_active():
    trace = _active.get("trace")
    if trace is not None:
        trace._finish(_EXIT_MILLISECONDS)


trace = Trace
