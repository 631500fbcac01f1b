"""Arrays shared between processes: their handles, and arrays over memory that another process has exported."""

from contextlib import contextmanager

from treadle.devices.devices import contexts, current_context
from treadle.devices.ipc import IpcHandle, byte_count, bytes_of, checked_layout
from treadle.devices.memory_pointers import ArrayMemory, MemoryPointer, OwnedPointer
from treadle.types import uint8


class IpcArrayHandle:
    """A handle by which other processes open a device array: `array.get_ipc_handle()`. Can be pickled.

    It keeps the array's memory. In another process `open()`, or `with handle as array:`, returns a device array over
    the same memory; `close()` ends its use.
    """

    def __init__(self, ipc_handle, array_desc):
        self._ipc_handle = ipc_handle
        self._array_desc = array_desc

    def open(self):
        """The array, on the thread's device; it is valid until `close`. Raises what `IpcHandle.open` raises."""
        return self._ipc_handle._array(current_context(), self._array_desc)

    def close(self):
        """Waits for the work that uses the array, and ends that: any later use raises CudaAPIError. ValueError if it is
        not open."""
        self._ipc_handle.close()

    def __enter__(self):
        return self.open()

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<{type(self).__name__} of {self._array_desc['dtype']} {self._array_desc['shape']}>"


def handle_of_array(array):
    """`DeviceNDArray.get_ipc_handle`."""
    if array.size == 0:
        raise ValueError(f"an array without elements has no memory to share, found shape {array.shape}")
    # Elements may precede the first one in memory.
    first = -sum(min(0, (extent - 1) * stride) for extent, stride in zip(array.shape, array.strides, strict=True))
    desc = {"shape": array.shape, "strides": array.strides, "dtype": array.dtype, "first": first}
    context = contexts()[array._ordinal]
    return IpcArrayHandle(context.get_ipc_handle(_memory_of(array, first, context)), desc)


def _memory_of(array, first, context):
    """The bytes between an array's ends; if an external memory manager has allocated them, its own pointer."""
    start, size = array._address - first, array.alloc_size
    owner = array._memory_owner
    if not isinstance(owner, (MemoryPointer, OwnedPointer)):
        return ArrayMemory(array._view(uint8, -first, (size,), (1,)), context)
    begin = start - int(owner)
    return owner if (begin, size) == (0, owner.size) else owner.view(begin, begin + size)


@contextmanager
def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """`with cuda.open_ipc_array(handle, shape, dtype) as array:` a device array over memory of another process, valid
    inside the block.

    `handle`: the 64 bytes of the driver's handle of an allocation of the thread's device, as bytes or numbers.
    `strides`: in bytes; those of C order by default. `offset`: bytes from the allocation's beginning to the array.
    Raises what `IpcHandle.open` raises, ValueError for a handle of another length.
    """
    import numpy

    dtype = numpy.dtype(dtype)
    shape, strides = checked_layout(shape, strides, dtype.itemsize)
    if any(stride < 0 for stride in strides):
        raise ValueError(f"strides must not be negative, as the array begins at the offset, found {strides}")
    offset = byte_count(offset, "offset")
    last = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    size = 0 if 0 in shape else dtype.itemsize + last
    opened = IpcHandle(None, bytes_of(handle), size, offset=offset)
    array = opened.open_array(current_context(), shape, dtype, strides)
    try:
        yield array
    finally:
        opened.close()
