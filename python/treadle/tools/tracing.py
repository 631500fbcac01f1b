"""`treadle.trace`: records what Treadle does into a file that trace viewers show."""

import operator
import os
from warnings import warn

from treadle import _core
from treadle.errors import TreadleWarning
from treadle.whole_files import WholeFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The timeout at exit, after which the file is written without pending work.
_EXIT_MILLISECONDS = 2000
_active: "dict[str, Trace]" = {}


# The default memory of a recording; its file is about twice as long.
_MOST_BYTES = 1 << 28
_LEAST_BYTES = 1 << 20


class Trace:
    """trace(path, limit=2**28): records launches, copies, allocations, compilations and waits, and when the device ran
    what.

    `with trace("run.json"):` records its block; `start()` and `stop()` do the same without one. The file, a path as
    `open` takes it, is in Chrome's trace event format: https://ui.perfetto.dev and chrome://tracing show it. It is
    written when recording ends, at exit at the latest, and replaces what was there. Times are in microseconds since
    `start`.

    One trace is recorded at a time, of all threads and devices of the process; a child of a fork records nothing.
    Recording takes about half a microsecond for each event. While nothing is recorded, a launch tests one flag.
    `limit` bytes of memory, 256 MiB, have some 1.5 million events: later ones are left out, which a mark in the trace
    and a TreadleWarning say.

    >>> import treadle
    >>> from treadle import cuda
    >>> with treadle.trace("/tmp/treadle-example.json"):
    ...     a = cuda.to_device([1.0, 2.0])
    ...     b = a.copy_to_host()
    """

    def __init__(self, path, limit=_MOST_BYTES):
        self.path = os.fspath(path)
        self.limit = operator.index(limit)
        if not _LEAST_BYTES <= self.limit < 1 << 63:
            raise ValueError(f"limit must be a number of bytes, at least {_LEAST_BYTES}, found {limit!r}")
        self._file: Any = None  # while recording, the file to be written
        self._process = 0

    def start(self):
        """Begins to record, and returns the trace.

        Raises OSError if the file cannot be written, and RuntimeError if a trace is being recorded already.
        """
        if _core.is_tracing():
            raise RuntimeError(f"a trace is being recorded{_where()}: stop that one before starting {self.path!r}")
        file = WholeFile(self.path)
        file.begin()
        try:
            if file.is_replaced:
                file.abandon()  # only checks that it can be created: that happens at the end
            _core.trace_start(self.limit)
        except BaseException:
            file.abandon()
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
        if self._file is None:
            raise RuntimeError(f"the trace {self.path!r} is not being recorded: call its start() first")
        self._finish(-1)

    def _finish(self, milliseconds):
        if os.getpid() != self._process:
            return self._leave().abandon()  # a forked child's file is its parent's
        # Before anything else that may fail: whatever happens to the file, the next trace can be recorded.
        ended = _core.trace_stop(milliseconds)
        try:
            self._write(self._leave(), ended)
        finally:
            ended.raise_interruption()
        return None

    def _leave(self):
        file, self._file = self._file, None
        if _active.get("trace") is self:
            del _active["trace"]
        return file

    def _write(self, file, ended):
        try:
            if file.is_replaced:
                file.begin()
            file.empty()
            ended.write(file.descriptor, _names_of_threads())
            file.replace()
        except OSError as error:
            error.filename = self.path
            raise
        finally:
            file.abandon()
        if ended.dropped:
            warn(
                f"the trace {self.path!r} is full, and {ended.dropped} events are left out: record less, or give "
                f"treadle.trace a limit of more than {self.limit} bytes", TreadleWarning, stacklevel=4,
            )  # fmt: skip

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self._file is not None:
            self.stop()

    def __repr__(self):
        return f"<trace {self.path!r}{', being recorded' if self._file is not None else ''}>"


def _where():
    return f" into {_active['trace'].path!r}" if "trace" in _active else ""


def _names_of_threads():
    """{the system's number of a thread: its name in Python}."""
    import sys

    threading = sys.modules.get("threading")
    threads = threading.enumerate() if threading else []
    numbers = {thread.native_id: thread for thread in threads if thread.native_id is not None}
    # Names come from anywhere, and may not be encodable.
    names = {number: str(thread.name).encode(errors="backslashreplace").decode() for number, thread in numbers.items()}
    names.setdefault(os.getpid(), "MainThread")
    return names


def _at_exit():
    import atexit

    atexit.unregister(_finish_active)  # so that it is registered once, and runs before earlier handlers
    atexit.register(_finish_active)


def _finish_active():
    trace = _active.get("trace")
    if trace is not None:
        trace._finish(_EXIT_MILLISECONDS)


trace = Trace
