"""Untyped memory, under the names of `numba.cuda.cudadrv.driver`: the memory of arrays, and copies of bytes.

`dst` and `src` are a `MemoryPointer` or a contiguous device array on the device, and anything with the buffer protocol
on the host. Copies raise ValueError, before copying anything, if either side is too small.
"""

import ctypes

from treadle import _core
from treadle.absent import reporter
from treadle.devices.availability import runtime
from treadle.devices.devices import Context, Device
from treadle.devices.external_memory import set_memory_manager
from treadle.devices.ipc import IpcHandle
from treadle.devices.memory import MemoryInfo
from treadle.devices.memory_managers import (
    BaseCUDAMemoryManager,
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    NumbaCUDAMemoryManager,
)
from treadle.devices.memory_pointers import (
    AutoFreePointer,
    DevicePointer,
    ManagedMemory,
    ManagedOwnedPointer,
    MappedMemory,
    MappedOwnedPointer,
    MemoryPointer,
    OwnedPointer,
    PinnedMemory,
    fill_bytes,
    first_bytes,
    row_of_bytes,
)
from treadle.devices.modules import Function, Module, launch_kernel
from treadle.devices.new_arrays import shared_with_host
from treadle.devices.profiling import profile_start, profile_stop, profiling
from treadle.devices.streams import Event, Stream, event_elapsed_time
from treadle.errors import CudaAPIError, DeadMemoryError, LinkerError

__all__ = [
    "Context", "CudaAPIError", "DeadMemoryError", "Device", "Driver", "Event", "Function", "LinkerError", "MemoryInfo",
    "MemoryPointer", "Module", "Stream", "device_ctypes_pointer", "device_extents", "device_memory_size",
    "device_memset", "device_pointer", "device_to_device", "device_to_host", "driver",
    "event_elapsed_time", "get_version", "host_memory_extents", "host_memory_size", "host_pointer", "host_to_device",
    "is_device_memory", "launch_kernel", "profile_start", "profile_stop", "profiling", "require_device_memory",
    "AutoFreePointer", "BaseCUDAMemoryManager", "GetIpcHandleMixin", "HostOnlyCUDAMemoryManager", "IpcHandle",
    "ManagedMemory", "ManagedOwnedPointer", "MappedMemory", "MappedOwnedPointer", "NumbaCUDAMemoryManager",
    "OwnedPointer", "PinnedMemory", "set_memory_manager",
]  # fmt: skip

SUPPORTS_IPC = True
USE_NV_BINDING = False  # CUDA's driver is called directly

__getattr__ = reporter(__name__)


class Driver:
    """The type of `cudadrv.driver.driver`."""

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


def _on_device(obj, what):
    if isinstance(obj, (MemoryPointer, OwnedPointer)):
        return obj._alive()
    if isinstance(obj, _core.DeviceNDArray):
        return row_of_bytes(obj)
    if (shared := shared_with_host(obj)) is not None:
        return row_of_bytes(shared)
    raise TypeError(f"{what} must be device memory, found {obj!r} of type {type(obj).__name__}")


def _on_host(obj):
    view = memoryview(obj)
    if view.nbytes == 0:
        return memoryview(bytearray())
    if view.f_contiguous and not view.c_contiguous:
        import numpy

        view = numpy.asarray(obj).T.data  # the same bytes in the same order
    return view.cast("B")


def host_to_device(dst, src, size, stream=0):
    """Copies `size` bytes from the host."""
    target, source = first_bytes(_on_device(dst, "dst"), size, "dst"), first_bytes(_on_host(src), size, "src")
    target._copy_from(source, stream)


def device_to_host(dst, src, size, stream=0):
    """Copies `size` bytes to the host."""
    target, source = first_bytes(_on_host(dst), size, "dst"), first_bytes(_on_device(src, "src"), size, "src")
    source._copy_to(target, stream)


def device_to_device(dst, src, size, stream=0):
    """Copies `size` bytes within the device. The two must not overlap."""
    target, source = first_bytes(_on_device(dst, "dst"), size, "dst"), first_bytes(_on_device(src, "src"), size, "src")
    target._copy_from(source, stream)


def device_memset(dst, val, size, stream=0):
    """Sets `size` bytes to `val`, 0 to 255."""
    fill_bytes(_on_device(dst, "dst"), val, size, stream)


def is_device_memory(obj):
    """True for memory of a device: a MemoryPointer, a device array, a mapped or managed array."""
    return isinstance(obj, (MemoryPointer, OwnedPointer, _core.DeviceNDArray)) or shared_with_host(obj) is not None


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
    return DevicePointer(device_pointer(obj))


def device_extents(devmem):
    """(first, last): the addresses of the first byte of the allocation that contains device memory, and of the byte
    after it; of the memory itself, if the device does not know its allocation."""
    memory = _on_device(devmem, "devmem")
    return _core.allocation_around(memory._ordinal, memory._address, memory.size)


def host_memory_extents(obj):
    """(first, last): the addresses of a host array's first byte, and of the byte after it."""
    first = host_pointer(obj)
    return first, first + host_memory_size(obj)


def host_memory_size(obj):
    """Bytes of a contiguous host array."""
    return memoryview(obj).nbytes


def require_device_memory(obj):
    """Raises TypeError if `obj` is not device memory."""
    if not is_device_memory(obj):
        raise TypeError(f"expected device memory, found {obj!r} of type {type(obj).__name__}")
