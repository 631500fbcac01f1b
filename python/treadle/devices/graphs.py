"""Graphs: work on streams that is captured once and replayed as often as wanted."""

from treadle import _core
from treadle.devices.streams import stream as new_stream


class Graph(_core.GraphCapture):
    """Launches, copies and events on a stream, captured by `with graph:` and run by each `replay`. Made by
    `cuda.graph()`.
    """

    def __init__(self, stream):
        captured = new_stream(nonblocking=True) if stream is None else stream
        super().__init__(captured)
        self._stream = captured
        self._home = 0 if stream is None else stream

    @property
    def stream(self):
        """The stream that is captured."""
        return self._stream

    def replay(self, stream=None):
        """Queues all of the work, once. `stream`: None for what `cuda.graph()` was given, or else the default stream.

        Raises RuntimeError without a graph, ValueError for a stream of another device, CudaAPIError (709) if the device
        was reset since the capture. Exceptions of its kernels are raised by the next call that waits for that stream.
        """
        super().replay(self._home if stream is None else stream)

    def __enter__(self):
        self._begin()
        return self

    def __exit__(self, error_type, *_):
        if error_type is None:
            self._end()
        else:
            self._abandon()

    def __len__(self):
        """How many pieces of work it has: each launch, copy, fill and callback is one on the CPU device, and at least
        one on a GPU."""
        return self.size

    def __bool__(self):
        return True

    def __repr__(self):
        return f"<CUDA graph of {self._stream!r}>"


def graph(stream=None):
    """A graph, to be captured by `with`: work that the block queues on `stream` is recorded instead of run.

    `stream`: None for a new one. Within the block it replaces the thread's default streams, so that launches that name
    no stream are captured, too; so are other streams once they wait for an event that was recorded in the block.
    `graph.replay()` queues all of the work at once, on `stream` or, as launches that name none, on the default stream;
    `graph.replay(other)` on another one. The graph keeps what it uses: kernels, and the memory of arrays, with the
    contents that it has at each replay. Numbers have the values of the capture.

    Operations that would have to wait raise CudaAPIError (900) in the block and leaves the capture intact: arrays of
    the host as arguments or in copies (page-locked and mapped ones are fine), `synchronize`, copies to pageable memory.
    Kernels may be compiled and arrays made. If the block raises, there is no graph.

    >>> import numpy as np
    >>> from treadle import cuda
    >>> @cuda.jit
    ... def add(x, value):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] += value
    >>> x = cuda.to_device(np.zeros(4))
    >>> with cuda.graph() as graph:
    ...     add[1, 32](x, 1)
    ...     add[1, 32](x, 2)
    >>> len(graph)
    2
    >>> for _ in range(10):
    ...     graph.replay()
    >>> x.copy_to_host().tolist()
    [30.0, 30.0, 30.0, 30.0]
    """
    return Graph(stream)
