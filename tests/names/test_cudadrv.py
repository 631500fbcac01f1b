"""Numba's module layout under cuda.cudadrv, and memory operations in bytes."""

import subprocess
import sys

import numpy as np
import pytest
from treadle import cuda, errors
from treadle.cuda.cudadrv import driver
from treadle.cuda.cudadrv.devicearray import DeviceNDArray, DeviceRecord, ManagedNDArray, MappedNDArray, auto_device
from treadle.cuda.cudadrv.driver import MemoryPointer


def test_old_paths():
    from treadle.cuda.cudadrv import devicearray, devices, error
    from treadle.cuda.cudadrv.runtime import runtime

    assert cuda.cudadrv.driver is driver
    assert devicearray.DeviceNDArray is DeviceNDArray is cuda.DeviceNDArray
    assert DeviceRecord is cuda.DeviceRecord
    assert issubclass(MappedNDArray, np.ndarray)
    assert issubclass(ManagedNDArray, np.ndarray)
    assert driver.CudaAPIError is error.CudaAPIError is errors.CudaAPIError
    assert error.CudaSupportError is errors.CudaSupportError
    assert devices.get_context() is cuda.current_context()
    assert devices.gpus is cuda.gpus
    assert runtime is cuda.runtime
    assert not hasattr(cuda.cudadrv, "nothing")
    assert not hasattr(cuda, "nothing")


def test_imports_in_any_order():
    for statement in ("import treadle.cuda.cudadrv.driver", "from treadle.cuda.cudadrv.error import CudaSupportError"):
        subprocess.run([sys.executable, "-c", statement], check=True, timeout=60)


def test_auto_device():
    array, made = auto_device(np.arange(3))
    assert made
    assert auto_device(array) == (array, False)


def test_memory_pointers():
    memory = cuda.current_context().memalloc(64)
    assert (memory.size, int(memory)) == (64, memory.device_pointer.value)
    assert memory.view(16)._bytes._address == int(memory) + 16
    assert memory.view(16, 20).size == 4
    for start, stop in [(-1, 4), (60, 65), (10, 5), (65, None)]:
        with pytest.raises(RuntimeError, match="lie outside of the 64"):
            memory.view(start, stop)
    memory.memset(7)
    memory.memset(1, 4)
    host = bytearray(64)
    driver.device_to_host(host, memory, 64)
    assert host == bytes([1] * 4 + [7] * 60)
    other = memory.own()
    memory.free()
    assert repr(memory) == "<MemoryPointer, freed>"
    for attempt in (memory.free, memory.own, lambda: memory.size, lambda: driver.device_memset(memory, 0, 1)):
        with pytest.raises(RuntimeError, match="freed"):
            attempt()
    assert other.size == 64
    waiting = cuda.current_context().deallocations
    waiting.clear()
    other.free()
    assert len(waiting) == 1


def test_copies_of_bytes():
    host = np.arange(10, dtype=np.int32)
    device = cuda.device_array(10, np.int32)
    driver.host_to_device(device, host, 40)
    assert device.copy_to_host().tolist() == host.tolist()
    second = cuda.to_device(np.zeros(10, np.int32))
    driver.device_to_device(second.gpu_data, device, 20)
    assert second.copy_to_host().tolist() == [0, 1, 2, 3, 4, 0, 0, 0, 0, 0]
    back = np.zeros(10, np.int32)
    stream = cuda.stream()
    driver.device_to_host(back, second, 40, stream)
    stream.synchronize()
    assert back.tolist() == second.copy_to_host().tolist()
    driver.device_memset(device, 255, 8)
    assert device.copy_to_host()[:3].tolist() == [-1, -1, 2]
    assert driver.device_memory_size(device) == 40
    assert driver.device_pointer(device) == device._address == int(device.gpu_data)
    assert driver.host_pointer(host) == host.ctypes.data
    assert driver.host_pointer(bytes(3)) != 0
    assert driver.host_pointer(12) == 12
    assert driver.is_device_memory(device)
    assert driver.is_device_memory(device.gpu_data)
    assert not driver.is_device_memory(host)


def test_copies_that_do_not_fit():
    host, device = np.arange(4.0), cuda.to_device(np.ones(4))
    for attempt, error in [
        (lambda: driver.host_to_device(device, host, 33), ValueError),
        (lambda: driver.host_to_device(device[:2], host, 32), ValueError),
        (lambda: driver.device_to_host(host[:3], device, 32), ValueError),
        (lambda: driver.device_to_host(host, device, -1), ValueError),
        (lambda: driver.device_memset(device, 256, 4), ValueError),
        (lambda: driver.device_to_device(device, host, 8), TypeError),
        (lambda: driver.host_to_device(device[::2], host, 8), ValueError),
        (lambda: driver.device_to_host(bytes(32), device, 32), BufferError),
        (lambda: cuda.current_context().memalloc(-1), ValueError),
    ]:
        with pytest.raises(error):
            attempt()
    assert (device.copy_to_host() == 1).all()


def test_memory_of_the_host():
    context = cuda.current_context()
    for array in (context.memhostalloc(10), context.memhostalloc(10, mapped=True), context.memallocmanaged(10)):
        assert (array.dtype, array.shape) == (np.uint8, (10,))
        memoryview(array)[3] = 5
        assert array[3] == 5
    assert isinstance(context.memalloc(0), MemoryPointer)


def test_host_memory_in_fortran_order_and_without_bytes():
    host = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    memory = cuda.current_context().memalloc(host.nbytes)
    driver.host_to_device(memory, host, host.nbytes)
    back = np.zeros((2, 3), order="F")
    driver.device_to_host(back, memory, host.nbytes)
    assert np.array_equal(back, host)
    for nothing in (np.empty((0, 3)), np.empty(0)):
        driver.host_to_device(memory, nothing, 0)
        assert driver.host_pointer(nothing) == nothing.ctypes.data


def test_mapped_and_managed_arrays_are_memory_of_the_device():
    context = cuda.current_context()
    for array in (cuda.mapped_array(4), cuda.managed_array(4), context.memhostalloc(32, mapped=True)):
        assert driver.is_device_memory(array)
        assert driver.device_pointer(array) == array.ctypes.data == array.device_ctypes_pointer.value
        assert driver.device_memory_size(array) == array.gpu_data.size == 32
        driver.device_memset(array, 0, 32)
        assert not array.any()
        assert cuda.to_device(array) is array
        given, made = auto_device(array)
        assert given is array and not made
        assert cuda.to_device(array[1:3]).ctypes.data == array[1:3].ctypes.data
        computed = array + 1
        assert isinstance(cuda.to_device(computed), DeviceNDArray)
    for array in (cuda.pinned_array(4), np.zeros(4)):
        assert not driver.is_device_memory(array)
        assert isinstance(cuda.to_device(array), DeviceNDArray)
        with pytest.raises(TypeError, match="must be device memory"):
            driver.device_pointer(array)
