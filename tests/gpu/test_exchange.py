"""Arrays exchanged with other libraries on a GPU: the same memory, in the right order; with those that are there."""

import os

import numpy as np
import pytest
import treadle
from treadle import cuda

COUNT = 256
# A stand-in runs kernels slowly, and late, as its order allows; a GPU needs a long one to be caught.
ROUNDS, TURNS = (10, 50) if os.environ.get("TREADLE_GPU_TESTS_ON_STAND_IN") == "1" else (500, 20000)


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def fill_slowly(x, value, turns):
    i = cuda.grid(1)
    y = x[i]
    for _ in range(turns):
        y = y * 0.5 + value * 0.5
    if y < value + 1:
        x[i] = value


@cuda.jit
def copy(to, source):
    i = cuda.grid(1)
    to[i] = source[i]


def address(array):
    return array.__cuda_array_interface__["data"][0]


@pytest.mark.parametrize("way", [treadle.from_dlpack, lambda x: cuda.as_cuda_array(Foreign(x)), cuda.to_device])
def test_the_same_memory(way):
    x = cuda.to_device(np.arange(COUNT, dtype=np.float32))
    y = way(x if way is treadle.from_dlpack else Foreign(x))
    assert address(y) == address(x)
    double[2, 128](y)
    double[2, 128](Foreign(x))
    np.testing.assert_array_equal(x.copy_to_host(), 4 * np.arange(COUNT))


def test_kinds_of_memory():
    for array, place in (
        (cuda.device_array(4, np.float32), (2, 0)),
        (cuda.mapped_array(4, np.float32), (3, 0)),
        (cuda.managed_array(4, np.float32), (13, 0)),
    ):
        array[:] = 1
        again = cuda.as_cuda_array(Foreign(array))
        assert again.__dlpack_device__() == place
        double[1, 32](again)
        cuda.synchronize()
        np.testing.assert_array_equal(array if isinstance(array, np.ndarray) else array.copy_to_host(), [2] * 4)


def test_ordinary_memory_of_the_host_is_refused():
    class Host:
        host = np.zeros(4)
        __cuda_array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (host.ctypes.data, False), "version": 3}

    with pytest.raises(BufferError, match="no GPU knows the memory"):
        cuda.as_cuda_array(Host())


@pytest.mark.parametrize("imported_once", [True, False])
def test_no_stale_values(imported_once):
    """The producer's kernel runs long on a stream of its own; ours on another reads what it has written, and what the
    producer writes next is not seen too early."""
    theirs, ours = cuda.stream(nonblocking=True), cuda.stream(nonblocking=True)
    x = cuda.to_device(np.zeros(COUNT, np.float32)).bind(theirs)
    out = cuda.device_array(COUNT, np.float32)
    foreign = cuda.as_cuda_array(Foreign(x)) if imported_once else None
    for value in range(1, ROUNDS + 1):
        fill_slowly[2, 128, theirs](x, value, TURNS)
        copy[2, 128, ours](out, foreign if imported_once else Foreign(x))
        fill_slowly[2, 128, theirs](x, -value, 1)
        np.testing.assert_array_equal(out.copy_to_host(stream=ours), np.full(COUNT, value, np.float32))


def test_capsules_come_behind_pending_work():
    theirs = cuda.stream(nonblocking=True)
    x, out = cuda.to_device(np.zeros(COUNT, np.float32)), cuda.device_array(COUNT, np.float32)
    for value in range(1, ROUNDS + 1):
        fill_slowly[2, 128, theirs](x, value, TURNS)
        y = treadle.from_dlpack(x)
        copy[2, 128](out, y)
        np.testing.assert_array_equal(out.copy_to_host(), np.full(COUNT, value, np.float32))


def test_with_numba_cuda():
    theirs = pytest.importorskip("numba.cuda")
    x = cuda.to_device(np.arange(COUNT, dtype=np.float32))
    double[2, 128, cuda.stream()](x)
    view = theirs.as_cuda_array(x)
    np.testing.assert_array_equal(view.copy_to_host(), 2 * np.arange(COUNT))
    stream = theirs.stream()
    y = theirs.to_device(np.arange(COUNT, dtype=np.float32), stream=stream)
    double[2, 128](y)
    double[2, 128](cuda.as_cuda_array(y))
    result = y.copy_to_host(stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(result, 4 * np.arange(COUNT))


def test_with_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    x = torch.arange(COUNT, dtype=torch.float32, device="cuda")
    double[2, 128](x)
    assert torch.from_dlpack(treadle.from_dlpack(x)).data_ptr() == x.data_ptr()
    with torch.cuda.stream(torch.cuda.Stream()):
        x.add_(1)
        double[2, 128](x)
        x.add_(1)
    torch.cuda.synchronize()
    np.testing.assert_array_equal(x.cpu().numpy(), 2 * (2 * np.arange(COUNT) + 1) + 1)


def test_with_cupy():
    cupy = pytest.importorskip("cupy")
    x = cupy.arange(COUNT, dtype=cupy.float32)
    double[2, 128](x)
    y = cupy.asarray(cuda.as_cuda_array(x))
    assert y.data.ptr == x.data.ptr
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x += 1
        double[2, 128](x)
        x += 1
    stream.synchronize()
    np.testing.assert_array_equal(cupy.asnumpy(x), 2 * (2 * np.arange(COUNT) + 1) + 1)
