"""Untyped memory, under the names of `numba.cuda.cudadrv.driver`: the memory of arrays, and copies of bytes.

`dst` and `src` are a `MemoryPointer` or a contiguous device array on the device, and anything with the buffer protocol
on the host. Copies raise ValueError, before copying anything, if either side is too small.
"""

import ctypes

from treadle import _core
from treadle.absent import reporter
from treadle.cuda.cudadrv.modules import Function, Module, launch_kernel
from treadle.devicearray import shared_with_host
from treadle.devices import Context, Device, runtime
from treadle.errors import CudaAPIError, DeadMemoryError, LinkerError
from treadle.memory import MemoryInfo
from treadle.profiling import profile_start, profile_stop, profiling
from treadle.streams import Event, Stream, event_elapsed_time
from treadle.types import uint8

__all__ = [
    "Context", "CudaAPIError", "DeadMemoryError", "Device", "Driver", "Event", "Function", "LinkerError", "MemoryInfo",
    "MemoryPointer", "Module", "Stream", "device_ctypes_pointer", "device_extents", "device_memory_size",
    "device_memset", "device_pointer", "device_to_device", "device_to_host", "driver",
    "event_elapsed_time", "get_version", "host_memory_extents", "host_memory_size", "host_pointer", "host_to_device",
    "is_device_memory", "launch_kernel", "profile_start", "profile_stop", "profiling", "require_device_memory",
]  # fmt: skip

USE_NV_BINDING = False  # CUDA's driver is called directly

__getattr__ = reporter(__name__)


class Driver:
    """What programs ask `cudadrv.driver.driver`."""

    is_initialized = True

    @property
    def initialization_error(self):
        """None, or the text of the error that prevents devices from being used."""
        try:
            _core.device_count()
        except Exception as error:
            return str(error)
        return None

    def get_device(self, devnum=0):
        """The `Device` of this number. CudaAPIError if it does not exist."""
        _core.device_generation(devnum)
        return Device(devnum)

    def get_device_count(self):
        """The number of devices."""
        return _core.device_count()

    def get_version(self):
        """`cuda.runtime.get_version`: the CUDA version that generated code needs."""
        return runtime.get_version()


driver = Driver()
get_version = driver.get_version


class MemoryPointer:
    """Bytes of a device's memory, shared by all its views and freed with the last of them.

    >>> from treadle import cuda
    >>> memory = cuda.current_context().memalloc(16)
    >>> memory.memset(255)
    >>> memory.view(4, 12).size
    8
    """

    __cuda_memory__ = True

    def __init__(self, array):
        self._bytes = array

    @property
    def size(self):
        """Size in bytes."""
        return self._alive().size

    @property
    def device_pointer_value(self):
        """The address of the first byte."""
        return self._alive()._address

    @property
    def device_pointer(self):
        """The address as a `ctypes.c_void_p`."""
        return ctypes.c_void_p(self.device_pointer_value)

    device_ctypes_pointer = device_pointer

    def __int__(self):
        return self.device_pointer_value

    def view(self, start, stop=None):
        """The bytes from `start` up to `stop`, or to the end. RuntimeError if they are out of range."""
        size = self.size
        stop = size if stop is None else stop
        if not 0 <= start <= stop <= size:
            raise RuntimeError(f"bytes {start} to {stop} lie outside of the {size} that there are")
        return MemoryPointer(self._bytes[start:stop])

    def memset(self, byte, count=None, stream=0):
        """Sets all bytes, or the first `count`."""
        device_memset(self, byte, self.size if count is None else count, stream)

    def own(self):
        """A new owner of the same bytes."""
        return MemoryPointer(self._alive())

    def free(self):
        """Releases this owner; the bytes are freed with their last owner. RuntimeError if it was already released."""
        self._alive()
        self._bytes = None

    def _alive(self):
        if self._bytes is None:
            raise RuntimeError("this memory was freed: free() was called before")
        return self._bytes

    def __repr__(self):
        return "<MemoryPointer, freed>" if self._bytes is None else f"<MemoryPointer of {self.size} bytes>"


def memory_of(array):
    """The bytes of a contiguous device array."""
    if not (array.is_c_contiguous() or array.is_f_contiguous()):
        raise ValueError(f"only contiguous arrays are bytes in a row, found strides {array.strides}")
    return MemoryPointer(array._view(uint8, 0, (array.nbytes,), (1,)))


def _on_device(obj, what):
    if isinstance(obj, MemoryPointer):
        return obj._alive()
    if isinstance(obj, _core.DeviceNDArray):
        return memory_of(obj)._bytes
    if (shared := shared_with_host(obj)) is not None:
        return memory_of(shared)._bytes
    raise TypeError(f"{what} must be device memory, found {obj!r} of type {type(obj).__name__}")


def _on_host(obj):
    view = memoryview(obj)
    if view.nbytes == 0:
        return memoryview(bytearray())
    if view.f_contiguous and not view.c_contiguous:
        import numpy

        view = memoryview(numpy.asarray(obj).T)  # the same bytes in the same order
    return view.cast("B")


def _cut(memory, size, what):
    if size < 0:
        raise ValueError(f"a number of bytes must not be negative, found {size}")
    if len(memory) < size:
        raise ValueError(f"{what} has {len(memory)} bytes, fewer than the {size} asked for")
    return memory[:size]


def host_to_device(dst, src, size, stream=0):
    """Copies `size` bytes from the host."""
    target, source = _cut(_on_device(dst, "dst"), size, "dst"), _cut(_on_host(src), size, "src")
    target._copy_from(source, stream)


def device_to_host(dst, src, size, stream=0):
    """Copies `size` bytes to the host."""
    target, source = _cut(_on_host(dst), size, "dst"), _cut(_on_device(src, "src"), size, "src")
    source._copy_to(target, stream)


def device_to_device(dst, src, size, stream=0):
    """Copies `size` bytes within the device. The two must not overlap."""
    target, source = _cut(_on_device(dst, "dst"), size, "dst"), _cut(_on_device(src, "src"), size, "src")
    target._copy_from(source, stream)


def device_memset(dst, val, size, stream=0):
    """Sets `size` bytes to `val`, 0 to 255."""
    if not 0 <= val <= 255:
        raise ValueError(f"a byte lies between 0 and 255, found {val}")
    _cut(_on_device(dst, "dst"), size, "dst")._fill(val, stream)


def is_device_memory(obj):
    """True for memory of a device: a MemoryPointer, a device array, a mapped or managed array."""
    return isinstance(obj, (MemoryPointer, _core.DeviceNDArray)) or shared_with_host(obj) is not None


def device_memory_size(devmem):
    """Bytes of a MemoryPointer or device array."""
    return _on_device(devmem, "devmem").size


def device_pointer(obj):
    """The address of device memory, an int."""
    return _on_device(obj, "obj")._address


def host_pointer(obj):
    """The address of host memory, an int: itself for an int."""
    if isinstance(obj, int):
        return obj
    view = memoryview(obj)
    if view.readonly or view.nbytes == 0:
        import numpy

        return numpy.asarray(view).ctypes.data
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


def device_ctypes_pointer(obj):
    """The address of device memory, a `ctypes.c_void_p`."""
    return ctypes.c_void_p(device_pointer(obj))


def device_extents(devmem):
    """(first, last): the addresses of a piece of device memory's first byte, and of the byte behind it."""
    first = device_pointer(devmem)
    return first, first + device_memory_size(devmem)


def host_memory_extents(obj):
    """(first, last): the addresses of a host array's first byte, and of the byte behind it."""
    first = host_pointer(obj)
    return first, first + host_memory_size(obj)


def host_memory_size(obj):
    """Bytes of a contiguous host array."""
    return memoryview(obj).nbytes


def require_device_memory(obj):
    """Raises TypeError if `obj` is no device memory."""
    if not is_device_memory(obj):
        raise TypeError(f"expected device memory, found {obj!r} of type {type(obj).__name__}")
