"""Streams and events: work that a device does in order, concurrently with the host and with other streams."""

import sys
from _operator import index

from treadle import _core

_NAMES = {
    "default": "Default CUDA stream",
    "legacy": "Legacy default CUDA stream",
    "thread": "Per-thread default CUDA stream",
    "external": "External CUDA stream",
}


class Stream(_core.Stream):
    """An in-order queue of a device. Made by `cuda.stream()` and related functions.

    Work on a stream runs in order; streams run concurrently. A stream that is dropped still completes its work.
    """

    external = False

    def __init__(self, kind):
        super().__init__(kind)
        self._kind = kind

    @property
    def handle(self):
        """The driver's handle of the stream: 0 is the default stream, 1 the legacy one, 2 the thread's."""
        return self._shared_handle()

    def __int__(self):
        return self._shared_handle()

    def __repr__(self):
        name = _NAMES.get(self._kind)
        return f"<{name}>" if name and not self.external else f"<{name or 'CUDA stream'} {self._handle}>"

    def __eq__(self, other):
        return isinstance(other, Stream) and self._handle == other._handle

    def __hash__(self):
        return hash(("treadle stream", self._handle))

    def __cuda_stream__(self):
        """The protocol of cuda.core: (version 0, handle)."""
        return 0, self._shared_handle()

    def synchronize(self):
        """Returns when everything queued on the stream has run.

        Raises, once, what a kernel on it has raised: IndexError and the like in debug kernels, KeyboardInterrupt.
        """
        self._synchronize()

    def auto_synchronize(self):
        """`with stream.auto_synchronize() as stream:` waits for the stream at the end of the block, unless an exception
        leaves it."""
        return _Synchronized(self)

    def add_callback(self, callback, arg=None):
        """Calls `callback(stream, status, arg)` once everything queued on the stream so far has run; status is 0.

        Callbacks run one after the other on a thread of Treadle's, and the stream does not wait for them: they may use
        devices. An exception in a callback becomes a RuntimeWarning.
        """
        if not callable(callback):
            raise TypeError(f"the callback must be callable, found {callback!r}")
        _start_callbacks()
        self._call_back((callback, self, arg))

    def async_done(self):
        """An awaitable for asyncio: done, with the stream as its result, once everything queued on it so far has
        run."""
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def finish():
            if not future.done():
                future.set_result(self)

        self.add_callback(lambda *_: loop.call_soon_threadsafe(finish))
        return future


class _Synchronized:
    def __init__(self, stream):
        self._stream = stream

    def __enter__(self):
        return self._stream

    def __exit__(self, error_type, *_):
        if error_type is None:
            self._stream.synchronize()


def _start_callbacks():
    """Starts the single thread that runs callbacks, even if several threads request it at once."""
    if not _core.claim_callback_thread():
        return
    import threading

    try:
        threading.Thread(target=_call_back, name="treadle callbacks", daemon=True).start()
    except BaseException:
        _core.give_back_callback_thread()
        raise


def _call_back():
    import warnings

    while True:
        callback, stream, arg = _core.next_callback()
        try:
            callback(stream, 0, arg)
        except BaseException as error:  # the next callback must run in any case
            try:
                warnings.warn(f"a callback of {stream!r} raised {error!r}", RuntimeWarning, stacklevel=2)
            except RuntimeWarning as warning:  # warnings are turned into errors
                print(f"{type(warning).__name__}: {warning}", file=sys.stderr)
        del callback, stream, arg


def stream(nonblocking=False):
    """A new stream. It and the legacy default stream wait for each other, unless it is `nonblocking`."""
    return Stream("nonblocking" if nonblocking else "blocking")


def default_stream():
    """The default stream, denoted by 0: the legacy one, or the thread's (`TREADLE_PER_THREAD_DEFAULT_STREAM`)."""
    return Stream("default")


def legacy_default_stream():
    """The default stream that all threads share. It and blocking streams wait for each other."""
    return Stream("legacy")


def per_thread_default_stream():
    """The default stream of the thread that uses it."""
    return Stream("thread")


def external_stream(ptr):
    """A stream made by another library, from its handle. Raises ValueError if the device has no such stream.

    It is not destroyed with this object.
    """
    return _ExternalStream(ptr)


class _ExternalStream(Stream):
    external = True

    def __init__(self, ptr):
        super().__init__(index(ptr))
        self._kind = "external"


class Event(_core.Event):
    """A point in a stream's order. Made by `cuda.event()`.

    Recording again replaces the point; waits for the earlier one are unaffected.
    """

    def __init__(self, timing=True):
        super().__init__(bool(timing))

    def record(self, stream=0):
        """Records the point after everything queued on the stream so far. ValueError for a stream of another device."""
        self._record(stream)

    def query(self):
        """True once the point has been reached, and for an event that was never recorded."""
        return self._is_complete()

    def synchronize(self):
        """Returns when the point has been reached."""
        self._synchronize()

    def wait(self, stream=0):
        """Makes work queued on the stream from now on run after the point."""
        self._wait(stream)

    def elapsed_time(self, evtend):
        """Milliseconds from this event to `evtend`, a float.

        Raises CudaAPIError if one of them was not recorded or does not measure time, or if they are of different
        devices (code 400), or if a point has not been reached (600), as cuEventElapsedTime does.
        """
        if not isinstance(evtend, Event):
            raise TypeError(f"expected an event, found {evtend!r}")
        return self._milliseconds_until(evtend)

    def __repr__(self):
        return f"<CUDA event, {self._state}>"


def event(timing=True):
    """A new event. `timing=False`: measures no time, for ordering only."""
    return Event(timing)


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two events; see `Event.elapsed_time`."""
    return evtstart.elapsed_time(evtend)
