"""Memory of all kinds, and large copies."""

import numpy as np
import pytest
from gpu_borrowed import need_memory
from treadle import cuda, errors


@cuda.jit
def doubled(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
def test_memory_that_both_sides_see(make):
    x = make(10_000, np.float64)
    x[:] = np.arange(10_000)
    doubled[40, 256](x)
    cuda.synchronize()
    np.testing.assert_array_equal(x, np.arange(10_000) * 2.0)


def test_pinned_arrays_and_ranges():
    x = cuda.pinned_array(10_000, np.float64)
    x[:] = np.arange(10_000)
    own = np.arange(10_000.0)
    for host in (x, own):
        stream = cuda.stream()
        with cuda.pinned(own):
            device = cuda.to_device(host, stream=stream)
            doubled[40, 256, stream](device)
            device.copy_to_host(host, stream=stream)
            stream.synchronize()
        np.testing.assert_array_equal(host, np.arange(10_000) * 2.0)


@pytest.mark.parametrize("mebibytes", [1, 100, 500])
@pytest.mark.parametrize("is_pinned", [False, True], ids=["pageable", "pinned"])
def test_large_copies(mebibytes, is_pinned):
    need_memory(5 * mebibytes << 19)
    count = mebibytes << 17
    host = cuda.pinned_array(count, np.uint64) if is_pinned else np.empty(count, np.uint64)
    host[:] = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    device = cuda.to_device(host)
    other = cuda.device_array_like(device)
    other.copy_to_device(device)
    back = other.copy_to_host()
    assert np.array_equal(back, host)


@pytest.mark.parametrize("part", [np.s_[::2], np.s_[:, ::3], np.s_[5:90, 7:80], np.s_[::-1, 1::2]], ids=str)
def test_parts_of_arrays(part):
    host = np.arange(100 * 90, dtype=np.float32).reshape(100, 90)
    device = cuda.to_device(host)
    assert np.array_equal(np.asarray(device[part]), host[part])
    device[part] = host[part] * 2
    expected = host.copy()
    expected[part] *= 2
    assert np.array_equal(device.copy_to_host(), expected)


def test_memory_comes_back():
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    for _ in range(50):
        cuda.device_array(256 << 20, np.uint8)
    with pytest.raises(errors.CudaAPIError, match="out of memory"):
        cuda.device_array(1 << 46, np.uint8)
    assert doubled_works()


def doubled_works():
    x = np.ones(100)
    doubled[1, 128](x)
    return (x == 2).all()


def test_arrays_far_apart_in_memory():
    """Indices beyond 2^31 bytes."""
    need_memory(6 << 30)
    device = cuda.device_array((5 << 30,), np.uint8)

    @cuda.jit
    def ends(x):
        x[0] = 1
        x[x.size - 1] = 2

    ends[1, 1](device)
    assert (device[:1].copy_to_host()[0], device[-1:].copy_to_host()[0]) == (1, 2)
