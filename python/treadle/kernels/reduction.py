"""`cuda.reduce`: all elements of an array combined by a function of two."""

from treadle.devices.devicearray import DeviceNDArray
from treadle.devices.new_arrays import device_array, on_device, shared_with_host
from treadle.intrinsics import blockIdx, gridDim, shared, syncthreads, syncwarp, threadIdx
from treadle.kernels.dispatcher import Dispatcher
from treadle.kernels.jit import jit

TYPE_CHECKING = False  # importing typing costs 4 ms
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Reduce", "reduce"]

_WARPS = 8
_THREADS = 32 * _WARPS
# This many blocks fill a GPU, and a block with fewer elements does not pay for its start.
_MOST_BLOCKS = 1024
_LEAST_OF_BLOCK = 8192


class Reduce:
    """Combines the elements of arrays by a function of two elements, which has to be associative and commutative.

    Also a decorator, as `cuda.reduce`. `functor`: a Python function, a lambda or a device function; TypeError for
    anything else. It is compiled for each dtype that it meets, and again by another object: keep the object.

    >>> import numpy
    >>> from treadle import cuda
    >>> total = cuda.reduce(lambda a, b: a + b)
    >>> float(total(numpy.arange(1000.0)))
    499500.0
    >>> @cuda.reduce
    ... def largest(a, b):
    ...     return max(a, b)
    >>> int(largest(cuda.to_device([3, 1, 4, 1, 5]), size=3))
    4
    """

    def __init__(self, functor):
        if not callable(functor) or isinstance(functor, type):
            raise TypeError(f"reduce takes a function of two elements, found {functor!r}")
        self._functor = functor
        self._kernel = _kernel_that_combines_by(functor)

    def __repr__(self):
        return f"<reduction by {getattr(self._functor, '__qualname__', self._functor)}>"

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """The combination of the first `size` elements of `arr` and of `init`, as a NumPy scalar of the array's dtype.

        `arr`: a host or device array of numbers with one dimension (else TypeError). `size`: all elements without it;
        ValueError if it is negative, and more than there are means all. `res`: an array of the same dtype (else
        TypeError) with one dimension and an element or more (else ValueError); the result is written to its first
        element, on `stream`, and None is returned. `init` is converted to the array's dtype, and is the result where
        there are no elements. It always takes part: the largest of negative numbers needs another `init` than 0.

        The result is the same whenever the array is, bit by bit, on every device that computes the function alike.
        """
        arr = _taken(arr, size)
        init = arr.dtype.type(init)
        if res is not None:
            _check_result(res, arr)
        elif arr.size == 0:
            return init
        out: Any = device_array(1, arr.dtype, stream=stream) if res is None else res
        self._launch(arr, out, init, stream)
        return out.getitem(0, stream) if res is None else None

    def _launch(self, arr, out, init, stream):
        if arr.size == 0:
            out[:1] = init
            return
        blocks, share = _grid_for(arr.size)
        if blocks > 1:
            parts = device_array(blocks, arr.dtype, stream=stream)
            self._kernel[blocks, _THREADS, stream](arr, share, parts, init)
            arr = parts
        self._kernel[1, _THREADS, stream](arr, _grid_for(arr.size)[1], out, init)


reduce = Reduce


def _taken(arr, size):
    """The elements to combine, as an argument of a launch that does not write them."""
    import numpy as np

    found = shared_with_host(arr)
    arr = on_device(arr) if found is None else found
    if not isinstance(arr, DeviceNDArray):
        arr = np.asarray(arr)
    if arr.ndim != 1:
        raise TypeError(f"a reduction takes an array of one dimension, found shape {arr.shape}")
    if arr.dtype.kind not in "biufc":
        raise TypeError(f"a reduction takes an array of numbers, found dtype {arr.dtype}")
    if size is not None:
        if not hasattr(type(size), "__index__"):
            raise TypeError(f"size must be an int, found {size!r} of type {type(size).__name__}")
        if size < 0:
            raise ValueError(f"size must not be negative, found {size}")
        arr = arr[:size]
    if isinstance(arr, np.ndarray):
        arr = arr.view()
        arr.flags.writeable = False
    return arr


def _check_result(res, arr):
    if not hasattr(res, "dtype") or res.dtype != arr.dtype:
        found = getattr(res, "dtype", type(res).__name__)
        raise TypeError(f"res must be an array of the elements' dtype {arr.dtype}, found {found}")
    if res.ndim != 1 or res.size == 0:
        raise ValueError(f"res must be an array of one dimension and one element or more, found shape {res.shape}")


def _grid_for(size):
    """(blocks, elements of a warp), such that no block is without elements."""
    blocks = min(_MOST_BLOCKS, -(-size // _LEAST_OF_BLOCK))
    share = -(-size // (32 * _WARPS * blocks)) * 32
    return -(-size // (_WARPS * share)), share


def _kernel_that_combines_by(functor):
    combined = functor if isinstance(functor, Dispatcher) or hasattr(functor, "py_func") else jit(functor, device=True)

    @jit
    def reduced(arr, share, out, init):
        """out[b]: the combination of block b's elements; in a grid of one block, and of `init`.

        A warp takes `share` elements that are adjacent, so that a block reads its memory in order on a CPU, too.
        """
        parts = shared.array(_THREADS, arr.dtype)
        tid = threadIdx.x
        lane = tid % 32
        warp = tid // 32
        share = min(max(share, 32), 1 << 28)  # a no-op: tells the compiler that no index is negative
        before = blockIdx.x * (_WARPS * share)
        begin = before + warp * share
        end = min(begin + share, arr.size)
        full = begin + (end - begin) // 32 * 32
        if full > begin:
            mine = arr[begin + lane]
            for k in range(begin + 32, full, 32):
                mine = combined(mine, arr[k + lane])
            if full + lane < end:
                mine = combined(mine, arr[full + lane])
            parts[tid] = mine
        elif begin + lane < end:
            parts[tid] = arr[begin + lane]
        syncwarp()
        left = min(32, end - begin)
        half = 16
        while half > 0:
            if lane + half < left:
                parts[tid] = combined(parts[tid], parts[tid + half])
            syncwarp()
            left = min(left, half)
            half //= 2
        syncthreads()
        if tid == 0:
            total = parts[0]
            for other in range(1, min(_WARPS, (arr.size - before + share - 1) // share)):
                total = combined(total, parts[32 * other])
            if gridDim.x == 1:
                total = combined(total, init)
            out[blockIdx.x] = total

    return reduced
