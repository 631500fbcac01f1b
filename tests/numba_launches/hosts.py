"""Cases: what the host does: arrays, streams, events, pinned and managed memory, linked code, limits."""

import numpy as np
from numba import cuda

from numba_launches.cases import case


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@case
def device_arrays():
    host = np.arange(24.0).reshape(4, 6)
    device = cuda.to_device(host)
    double[1, 32](device.ravel())
    np.testing.assert_array_equal(device.copy_to_host(), 2 * host)
    part = device[1:3, 2:]
    np.testing.assert_array_equal(part.copy_to_host(), 2 * host[1:3, 2:])
    empty = cuda.device_array_like(device)
    empty.copy_to_device(device)
    empty[0] = 7
    np.testing.assert_array_equal(empty.copy_to_host()[0], np.full(6, 7))
    assert device.reshape(24).shape == (24,) and device.T.shape == (6, 4)


@case
def streams():
    streams = [cuda.stream() for _ in range(3)]
    hosts = [cuda.pinned_array(64, np.float32) for _ in streams]
    for host in hosts:
        host[:] = np.arange(64)
    devices = [cuda.to_device(host, stream=stream) for host, stream in zip(hosts, streams)]
    for _ in range(3):
        for device, stream in zip(devices, streams):
            double[2, 32, stream](device)
    outs = [cuda.pinned_array(64, np.float32) for _ in streams]
    for device, stream, out in zip(devices, streams, outs):
        device.copy_to_host(out, stream=stream)
        stream.synchronize()
        np.testing.assert_array_equal(out, np.arange(64) * 8)
    with streams[0].auto_synchronize():
        double[2, 32, streams[0]](devices[0])


@case
def events():
    one, two, device = cuda.stream(), cuda.stream(), cuda.to_device(np.arange(64.0))
    before, after = cuda.event(), cuda.event()
    before.record(one)
    double[2, 32, one](device)
    after.record(one)
    after.wait(two)
    double[2, 32, two](device)
    two.synchronize()
    after.synchronize()
    assert after.query() and cuda.event_elapsed_time(before, after) >= 0
    np.testing.assert_array_equal(device.copy_to_host(), np.arange(64.0) * 4)


@case
def mapped_and_managed_memory():
    mapped = cuda.mapped_array(64, np.float32)
    mapped[:] = np.arange(64)
    double[2, 32](mapped)
    cuda.synchronize()
    np.testing.assert_array_equal(mapped, np.arange(64) * 2)
    managed = cuda.managed_array(64, np.float64)
    managed[:] = np.arange(64)
    double[2, 32](managed)
    cuda.synchronize()
    np.testing.assert_array_equal(managed, np.arange(64) * 2)
    array = np.arange(64.0)
    with cuda.pinned(array):
        device = cuda.to_device(array, stream=cuda.stream())
        cuda.synchronize()
    np.testing.assert_array_equal(device.copy_to_host(), np.arange(64.0))


SOURCE = r"""
extern "C" __device__ int scaled(int *result, double x, int by) { *result = (int)(x * by); return 0; }
"""


@case
def linked_source():
    scaled = cuda.declare_device("scaled", "int32(float64, int32)", link=cuda.CUSource(SOURCE))

    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = scaled(x[i], 3)

    x = np.arange(64) / 4
    for options in ({}, {"lto": False}):
        out = np.zeros(64, np.int32)
        cuda.jit(**options)(kernel)[2, 32](x, out)
        np.testing.assert_array_equal(out, (x * 3).astype(np.int32))


@case
def devices_and_limits():
    device = cuda.get_current_device()
    assert device.compute_capability == (9, 0) and device.WARP_SIZE == 32
    assert device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN == 227 << 10
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    assert cuda.detect() and len(cuda.gpus) == 1
    cuda.profile_start()
    cuda.profile_stop()


@case
def attributes_of_kernels():
    double[1, 32](np.zeros(4))
    kernel = next(iter(double.overloads.values()))
    assert kernel.regs_per_thread > 0 and kernel.shared_mem_per_block == 0 and kernel.local_mem_per_thread >= 0
    assert kernel.const_mem_size >= 0 and kernel.max_threads_per_block == 1024


@case
def compiled_by_for_all():
    x = cuda.to_device(np.arange(1000.0))
    double.forall(x.size)(x)
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(1000.0) * 2)


@case
def array_interface():
    class Foreign:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    device = cuda.to_device(np.arange(32.0))
    double[1, 32](cuda.as_cuda_array(Foreign(device)))
    np.testing.assert_array_equal(device.copy_to_host(), np.arange(32.0) * 2)
