"""Memory that processes share: handles of arrays, which can be pickled, and what another process opens by them."""

from contextlib import contextmanager

from treadle import _core
from treadle.memory_pointers import ArrayMemory, MemoryPointer, OwnedPointer
from treadle.types import uint8

HANDLE_BYTES = 64


def _bytes_of(handle):
    """The 64 bytes of a handle: bytes, 64 numbers, an array of ctypes, or cuda-bindings' CUipcMemHandle. ValueError and
    TypeError for others."""
    reserved = getattr(handle, "reserved", handle)
    try:
        given = bytes(value & 255 for value in reserved)
    except TypeError:
        raise TypeError(f"a handle is {HANDLE_BYTES} bytes, found {handle!r} of type {type(handle).__name__}") from None
    if len(given) != HANDLE_BYTES:
        raise ValueError(f"a handle has {HANDLE_BYTES} bytes, found {len(given)}")
    return given


class IpcHandle:
    """A piece of a device's memory as other processes open it. Can be pickled.

    `base`: the memory, which lives as long as the handle does; None in other processes. `handle`: the driver's handle
    of its allocation, 64 bytes. `size`: bytes of the piece. `source_info`: the `get_device_identity()` of its device,
    or None if that is the one where it is opened. `offset`: bytes between the allocation's beginning and the piece's.
    """

    def __init__(self, base, handle, size, source_info=None, offset=0):
        self.base = base
        self.handle = handle
        self.size = size
        self.source_info = source_info
        self.offset = offset
        self._opened = None

    def open(self, context):
        """The memory, for kernels of a context's device: a `MemoryPointer`.

        Directly, where the device or one that can access its memory is the memory's own; otherwise a copy. Raises
        ValueError in the process that the memory belongs to, and if the handle is open already; RuntimeError if no
        device of this process is the memory's; CudaAPIError where the memory is gone or the handle is none.
        """
        is_direct = self.source_info is None or self.can_access_peer(context)
        return self.open_direct(context) if is_direct else self.open_staged(context)

    def open_direct(self, context):
        """As `open`, never as a copy."""
        self._check_closed()
        self._opened = _open(context.device.id, self)
        return ArrayMemory(self._opened)

    def open_staged(self, context):
        """As `open`, as a copy: memory of the context's device with what the shared memory holds now."""
        self._check_closed()
        source = _open(self._source().id, self)
        try:
            copy = context.memalloc(self.size)
            copy._alive()._copy_from(source, None)
            copy._alive()._wait()
        finally:
            _core.close_memory(source)
        self._opened = copy._alive()
        return copy

    def open_array(self, context, shape, dtype, strides=None):
        """As `open`, as a device array. `strides`: in bytes, those of C order where they are not given. ValueError if
        it does not fit the memory."""
        import numpy

        dtype = numpy.dtype(dtype)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        strides = _c_strides(shape, dtype.itemsize) if strides is None else strides
        return self._array(context, {"shape": shape, "strides": strides, "dtype": dtype})

    def close(self):
        """Ends the use of the memory, for which it waits: using arrays over it raises CudaAPIError from now on.
        ValueError if the handle is not open; CudaAPIError, too, if the driver fails: the handle is closed even then.
        """
        if self._opened is None:
            raise ValueError("this handle is not open: nothing has to be closed")
        opened, self._opened = self._opened, None
        _core.close_memory(opened)

    def can_access_peer(self, context):
        """Whether the context's device can use the memory itself. RuntimeError where `source_info` names no device of
        this process, or is None."""
        source = self._source()
        return source == context.device or context.can_access_peer(source.id)

    def _array(self, context, desc):
        """`desc`: shape, strides, dtype; `first`: where element [0, ..., 0] lies in the memory, if not at its begin."""
        strides = (desc["strides"],) if isinstance(desc["strides"], int) else tuple(desc["strides"])
        memory = self.open(context)._alive()
        try:
            return memory._view(desc["dtype"], desc.get("first", 0), desc["shape"], strides)
        except BaseException:
            self.close()
            raise

    def _check_closed(self):
        if self.base is not None:
            raise ValueError(
                "a handle cannot be opened in the process that its memory belongs to: use the array itself there"
            )
        if self._opened is not None:
            raise ValueError("this handle is open already: close() it first")

    def _source(self):
        from treadle.devices import Device

        if self.source_info is None:
            raise RuntimeError("this handle does not say which device its memory belongs to (source_info)")
        return Device.from_identity(self.source_info)

    def __reduce__(self):
        return IpcHandle, (None, _bytes_of(self.handle), self.size, self.source_info, self.offset)

    def __repr__(self):
        return f"<{type(self).__name__} of {self.size} bytes>"


def _open(ordinal, handle):
    return _core.open_memory(ordinal, _bytes_of(handle.handle), handle.offset, handle.size)


def _c_strides(shape, size):
    strides: list[int] = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= max(extent, 1)
    return tuple(strides)


class IpcArrayHandle:
    """A device array as other processes open it: `array.get_ipc_handle()`. Can be pickled.

    It keeps the array's memory. In another process `open()`, or `with handle as array:`, gives a device array over the
    same memory; `close()` ends its use.
    """

    def __init__(self, ipc_handle, array_desc):
        self._ipc_handle = ipc_handle
        self._array_desc = array_desc

    def open(self):
        """The array, on the thread's device; it is valid until `close`. Raises what `IpcHandle.open` raises."""
        from treadle.devices import current_context

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
    from treadle.devices import contexts

    if array.size == 0:
        raise ValueError(f"an array without elements has no memory to share, found shape {array.shape}")
    # Elements may lie before the first.
    first = -sum(min(0, (extent - 1) * stride) for extent, stride in zip(array.shape, array.strides, strict=True))
    desc = {"shape": array.shape, "strides": array.strides, "dtype": array.dtype, "first": first}
    context = contexts()[array._ordinal]
    return IpcArrayHandle(context.get_ipc_handle(_memory_of(array, first)), desc)


def _memory_of(array, first):
    """The bytes between an array's ends; where a memory manager has made them, its own pointer."""
    start, size = array._address - first, array.alloc_size
    owner = array._memory_owner
    if not isinstance(owner, (MemoryPointer, OwnedPointer)):
        return ArrayMemory(array._view(uint8, -first, (size,), (1,)))
    begin = start - int(owner)
    return owner if (begin, size) == (0, owner.size) else owner.view(begin, begin + size)


def export_memory(context, memory):
    """An IpcHandle of a MemoryPointer's bytes. Waits for the work that uses them. CudaAPIError where the driver cannot
    share them, or they are not the device's."""
    handle, offset = _core.export_memory(context.device.id, int(memory), memory.size)
    return IpcHandle(memory, handle, memory.size, context.device.get_device_identity(), offset)


@contextmanager
def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """`with cuda.open_ipc_array(handle, shape, dtype) as array:` a device array over memory of another process, valid
    inside the block.

    `handle`: the 64 bytes of the driver's handle of an allocation of the thread's device, as bytes or numbers.
    `strides`: in bytes; those of C order where they are not given. `offset`: bytes from the allocation's beginning to
    the array. Raises what `IpcHandle.open` raises, ValueError for a handle of another length.
    """
    import numpy

    from treadle.devices import current_context

    dtype = numpy.dtype(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    strides = _c_strides(shape, dtype.itemsize) if strides is None else strides
    size = dtype.itemsize + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    opened = IpcHandle(None, _bytes_of(handle), size, offset=offset)
    array = opened.open_array(current_context(), shape, dtype, strides)
    try:
        yield array
    finally:
        opened.close()
