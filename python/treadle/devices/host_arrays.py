"""The array classes of `host_memory`: NumPy arrays whose memory a device can use."""

import contextlib
import ctypes
import weakref

import numpy

from treadle import _core


class DeviceVisibleArray(numpy.ndarray):
    """Its memory belongs to a device array, `_device`, which lives as long as any view of it. If there is no `_device`,
    the array was computed and NumPy owns its memory."""

    _device = None
    stream = 0

    def __array_finalize__(self, parent):
        device = getattr(parent, "_device", None)
        # A new copy is created the same way as a view.
        self._device = device if device is not None and device._holds(self) else None
        self.stream = getattr(parent, "stream", 0)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if getattr(array, "_device", None) is not None:
            return array  # passed as `out`, or the target of `array += 1`
        # Results computed from the array are in separate memory.
        plain = numpy.asarray(array)
        return plain[()] if return_scalar else plain

    def copy_to_host(self, ary=None, stream=0):
        """A copy as a plain NumPy array, or into `ary`, which is returned. As `DeviceNDArray.copy_to_host`."""
        return self._view().copy_to_host(ary, stream or self.stream)

    def copy_to_device(self, ary, stream=0):
        """Copies from a host or device array. As `DeviceNDArray.copy_to_device`."""
        self._view().copy_to_device(ary, stream or self.stream)

    def split(self, section, stream=0):
        """Generates views of `section` elements each. As `DeviceNDArray.split`."""
        for part in self._view().split(section):
            begin = (part._address - self.ctypes.data) // max(self.itemsize, 1)
            yield self[begin : begin + part.size]

    def is_c_contiguous(self):
        """True if the elements are in C order without gaps."""
        return self.flags.c_contiguous

    def is_f_contiguous(self):
        """True if the elements are in Fortran order without gaps."""
        return self.flags.f_contiguous

    def _view(self):
        if self._device is None:
            raise ValueError("this array lies in memory of its own: it was computed, and is not mapped")
        offset = self.ctypes.data - self._device._address
        return self._device._view(self.dtype, offset, self.shape, self.strides)


_core.declare_argument(DeviceVisibleArray, "Visible")


class PinnedNDArray(DeviceVisibleArray):
    """A host array in page-locked memory."""


class _SharedArray(DeviceVisibleArray):
    @property
    def device_ctypes_pointer(self):
        """As `DeviceNDArray.device_ctypes_pointer`."""
        return self._view().device_ctypes_pointer

    @property
    def gpu_data(self):
        """As `DeviceNDArray.gpu_data`."""
        return self._view().gpu_data

    @property
    def __cuda_array_interface__(self):
        """As `DeviceNDArray.__cuda_array_interface__`. AttributeError for an array that was computed."""
        if self._device is None:
            raise AttributeError("this array lies in memory of its own: it was computed, and no device can use it")
        view = self._view()
        if self.stream:
            view.stream = self.stream  # always exported, as for an array of `device_array(stream=...)`
        return view.__cuda_array_interface__


class MappedNDArray(_SharedArray):
    """A host array that kernels access in place."""


class ManagedNDArray(_SharedArray):
    """An array shared by host and device."""


def make(array_class, device, stream=0):
    """The array over all memory of the device array."""
    array = device.host_view().view(array_class)
    array._device = device
    array.stream = stream
    return array


class _PinnedBytes(numpy.ndarray):
    """Bytes owned by another object, pinned for the lifetime of this array."""

    _end = None

    def __array_finalize__(self, parent):
        self._end = getattr(parent, "_end", None)


def pinned_bytes(owner, pointer, size, current_context):
    """An array of `size` bytes at `pointer`, which count as pinned as long as it or a view of it exists.

    `current_context`: as of `registered`."""
    if size < 0:
        raise ValueError(f"size must not be negative, found {size}")
    data = (ctypes.c_char * size).from_address(pointer)
    data.owner = owner
    plain = numpy.frombuffer(data, numpy.uint8)
    end = contextlib.ExitStack()
    end.enter_context(registered(plain, current_context))
    array = plain.view(_PinnedBytes)
    array._end = _Ended(end)
    return array


class _Ended:
    def __init__(self, stack):
        weakref.finalize(self, stack.close)


@contextlib.contextmanager
def registered(ary, current_context, is_mapped=False):
    """Inside the block, the memory of the host array counts as pinned. `current_context`: the function of that name,
    which is called if an external memory manager is in use."""
    if not isinstance(ary, numpy.ndarray):
        raise TypeError(f"expected a NumPy array, found {ary!r} of type {type(ary).__name__}")
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        raise ValueError(f"only contiguous arrays can be pinned, found shape {ary.shape} with strides {ary.strides}")
    if _core.uses_external_memory():
        manager = current_context().memory_manager
        # Referenced by this frame only: its finalizer ends the pinning with the block.
        memory = _core.on_device(
            _core.current_device(), lambda: manager.mempin(ary, ary.ctypes.data, ary.nbytes, is_mapped)
        )
        try:
            yield
        finally:
            del memory
        return
    pinned = _core.PinnedRange(ary, ary.ctypes.data, ary.nbytes)
    try:
        yield
    finally:
        pinned.release()


# The last name of this module: a thread that finds it finds all of them.
CLASSES = (MappedNDArray, ManagedNDArray)
