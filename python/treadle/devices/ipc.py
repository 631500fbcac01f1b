"""Memory shared between processes: picklable handles of it, and opening them in another process."""

from _operator import index

from treadle import _core
from treadle.devices.memory_pointers import ArrayMemory

HANDLE_BYTES = 64


def bytes_of(handle):
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
    """A handle by which other processes open a piece of a device's memory. Can be pickled.

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

        Directly, if the device is the memory's own or can access that device's memory; otherwise a copy. Raises
        ValueError in the process that the memory belongs to, and if the handle is open already; RuntimeError if this
        process does not have the memory's device; CudaAPIError if the memory is gone or the handle is invalid.
        """
        is_direct = self.source_info is None or self.can_access_peer(context)
        return self.open_direct(context) if is_direct else self.open_staged(context)

    def open_direct(self, context):
        """As `open`, but never a copy."""
        self._check_closed()
        self._opened = _open(context.device.id, self)
        return ArrayMemory(self._opened, context)

    def open_staged(self, context):
        """As `open`, but always a copy: memory of the context's device with the current contents of the shared
        memory."""
        self._check_closed()
        source = _open(self._source(context).id, self)
        try:
            copy = context.memalloc(self.size)
            copy._alive()._copy_from(source, None)
            copy._alive()._wait()
        finally:
            _core.close_memory(source)
        self._opened = copy._alive()
        return copy

    def open_array(self, context, shape, dtype, strides=None):
        """As `open`, as a device array. `strides`: in bytes, those of C order by default. ValueError if it does not fit
        the memory."""
        import numpy

        dtype = numpy.dtype(dtype)
        shape, strides = checked_layout(shape, strides, dtype.itemsize)
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
        """Whether the context's device can use the memory directly. RuntimeError if `source_info` names no device of
        this process, or is None."""
        source = self._source(context)
        return source == context.device or context.can_access_peer(source.id)

    def _array(self, context, desc):
        """`desc`: shape, strides, dtype; `first`: where element [0, ..., 0] lies in the memory, if not at its begin."""
        memory = self.open(context)._alive()
        try:
            return memory._view(desc["dtype"], desc.get("first", 0), desc["shape"], desc["strides"])
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

    def _source(self, context):
        """The memory's device; `context`: any of this process."""
        if self.source_info is None:
            raise RuntimeError("this handle does not say which device its memory belongs to (source_info)")
        return context.device.from_identity(self.source_info)

    def __reduce__(self):
        return IpcHandle, (None, bytes_of(self.handle), self.size, self.source_info, self.offset)

    def __repr__(self):
        return f"<{type(self).__name__} of {self.size} bytes>"


def _open(ordinal, handle):
    offset, size = byte_count(handle.offset, "offset"), byte_count(handle.size, "size")
    return _core.open_memory(ordinal, bytes_of(handle.handle), offset, size)


def byte_count(value, name):
    try:
        count = index(value)
    except TypeError:
        raise TypeError(f"the {name} must be an int, found {value!r} of type {type(value).__name__}") from None
    if not 0 <= count < 2**63:
        raise ValueError(f"the {name} must be a number of bytes, from 0 up to but not including 2**63, found {count}")
    return count


def checked_layout(shape, strides, item_size):
    """(shape, strides) as tuples of ints; `strides` None: those of C order. TypeError, ValueError for an invalid
    layout."""
    shape = _numbers("shape", shape)
    if any(extent < 0 for extent in shape):
        raise ValueError(f"shape must not have negative extents, found {shape}")
    if strides is None:
        return shape, _c_strides(shape, item_size)
    strides = _numbers("strides", strides)
    if len(strides) != len(shape):
        raise ValueError(f"strides must have one number for each of {len(shape)} axes, found {strides}")
    return shape, strides


def _numbers(name, given):
    """An int, or some, as a tuple."""
    try:
        return tuple(map(index, given)) if hasattr(type(given), "__iter__") else (index(given),)
    except TypeError:
        raise TypeError(f"{name} must be an int or a tuple of ints, found {given!r}") from None


def _c_strides(shape, size):
    strides: list[int] = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= max(extent, 1)
    return tuple(strides)


def export_memory(context, memory):
    """An IpcHandle of a MemoryPointer's bytes. Waits for the work that uses them. CudaAPIError if the driver cannot
    share them, or they do not belong to the device."""
    handle, offset = _core.export_memory(context.device.id, int(memory), memory.size)
    return IpcHandle(memory, handle, memory.size, context.device.get_device_identity(), offset)
