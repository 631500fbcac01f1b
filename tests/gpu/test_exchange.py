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
    for make in (theirs.mapped_array, theirs.managed_array):
        host = make(COUNT, np.float32)
        host[:] = 1
        double[2, 128](cuda.as_cuda_array(host))
        cuda.synchronize()
        assert (host == 2).all()


def test_with_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    x = torch.arange(COUNT, dtype=torch.float32, device="cuda")
    double[2, 128](x)
    assert torch.from_dlpack(treadle.from_dlpack(x)).data_ptr() == x.data_ptr()
    own = cuda.to_device(np.arange(COUNT, dtype=np.float32))
    shared = torch.as_tensor(own, device="cuda")
    assert shared.data_ptr() == address(own) and shared.tolist() == list(range(COUNT))
    older = cuda.as_cuda_array(x)
    assert address(older) == x.data_ptr() and older.strides == (4,)
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
    assert y.data.ptr == x.data.ptr == cupy.from_dlpack(treadle.from_dlpack(x)).data.ptr
    with cupy.cuda.using_allocator(cupy.cuda.MemoryPool(cupy.cuda.malloc_managed).malloc):
        managed = cupy.ones(COUNT, cupy.float32)
    double[2, 128](cuda.as_cuda_array(managed))
    cuda.synchronize()
    assert (cupy.asnumpy(managed) == 2).all()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x += 1
        double[2, 128](x)
        x += 1
    stream.synchronize()
    np.testing.assert_array_equal(cupy.asnumpy(x), 2 * (2 * np.arange(COUNT) + 1) + 1)


def test_with_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("jax has no GPU")
    own = cuda.to_device(np.arange(COUNT, dtype=np.float32))
    shared = jax.numpy.from_dlpack(own)
    assert shared.unsafe_buffer_pointer() == address(own) and shared.tolist() == list(range(COUNT))
    assert jax.numpy.array(own, copy=False).unsafe_buffer_pointer() == address(own)
    theirs = jax.numpy.arange(COUNT, dtype=jax.numpy.float32).block_until_ready()
    x = cuda.as_cuda_array(theirs)
    assert address(x) == theirs.unsafe_buffer_pointer() and x.copy_to_host().tolist() == list(range(COUNT))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(treadle.CompileError, match="read-only"):
        double[2, 128](theirs)


def test_with_cuda_core():
    utils = pytest.importorskip("cuda.core.utils")
    own = cuda.to_device(np.arange(COUNT, dtype=np.float32).reshape(2, -1))
    for view in (
        utils.StridedMemoryView.from_dlpack(own, stream_ptr=-1),
        utils.StridedMemoryView.from_cuda_array_interface(own, stream_ptr=-1),
    ):
        assert (view.ptr, view.shape, view.is_device_accessible) == (address(own), own.shape, True)


def test_with_warp():
    warp = pytest.importorskip("warp")
    theirs = warp.array(np.arange(COUNT, dtype=np.float32), device="cuda")
    double[2, 128](cuda.as_cuda_array(theirs))
    warp.synchronize()
    np.testing.assert_array_equal(theirs.numpy(), 2 * np.arange(COUNT))


class Bare:
    """What has the attribute and nothing else."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


def test_numba_cuda_uses_what_arrays_show():
    """As its own tests use arrays of others: imported, as arguments, views, without elements, of any strides."""
    theirs = pytest.importorskip("numba.cuda")
    host = np.arange(COUNT, dtype=np.float64)

    @theirs.jit
    def add_one(x):
        i = theirs.grid(1)
        if i < x.size:
            x[i] += 1

    own = cuda.to_device(host)
    view = theirs.as_cuda_array(Bare(own))
    assert theirs.is_cuda_array(Bare(own)) and view.device_ctypes_pointer.value == address(own)
    add_one[2, 128](Bare(own))
    add_one[2, 128](view)
    add_one[2, 128](Bare(own[1::2]))
    add_one[2, 128](Bare(own[::-1]))
    theirs.synchronize()
    expected = host + 3
    expected[1::2] += 1
    np.testing.assert_array_equal(own.copy_to_host(), expected)
    del own
    np.testing.assert_array_equal(view.copy_to_host(), expected)  # the owner is kept
    for shape in ((0,), (0, 3)):
        assert theirs.as_cuda_array(Bare(cuda.device_array(shape))).shape == shape
    for array in (host.reshape(2, -1), np.asfortranarray(host.reshape(2, -1)), host.reshape(4, 4, -1)):
        again = theirs.as_cuda_array(Bare(cuda.to_device(array)))
        assert (again.shape, again.strides, again.dtype) == (array.shape, array.strides, array.dtype)
        np.testing.assert_array_equal(again.copy_to_host(), array)


def test_consumers_on_the_stream_that_is_shown_read_no_stale_values():
    """A consumer that uses nothing but the dictionary, as the interface says."""
    producer = cuda.stream(nonblocking=True)
    x, out = cuda.to_device(np.zeros(COUNT, np.float32)), cuda.device_array(COUNT, np.float32)
    pointer = cuda.from_cuda_array_interface({**x.__cuda_array_interface__, "stream": None}, owner=x)
    for value in range(1, 2 * ROUNDS + 1):
        fill_slowly[2, 128, producer](x, value, TURNS)
        shown = x.__cuda_array_interface__["stream"]
        assert shown == 1
        copy[2, 128, cuda.external_stream(shown)](out, pointer)
        np.testing.assert_array_equal(out.copy_to_host(), np.full(COUNT, value, np.float32))


def test_copies_in_memory_of_the_host():
    x, stream = cuda.to_device(np.zeros(COUNT, np.float32)), cuda.stream(nonblocking=True)
    for value in range(1, 11):
        fill_slowly[2, 128, stream](x, value, TURNS)
        host = np.from_dlpack(x, device="cpu")
        assert (host == value).all() and host.ctypes.data != address(x)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    mapped = cuda.mapped_array(COUNT, np.float32)
    mapped[:] = 5
    assert (np.from_dlpack(cuda.as_cuda_array(Foreign(mapped)), device="cpu", copy=False) == 5).all()


def test_with_tvm_ffi():
    tvm_ffi = pytest.importorskip("tvm_ffi")
    own = cuda.to_device(np.arange(COUNT, dtype=np.float32))
    theirs = tvm_ffi.from_dlpack(own)
    double[2, 128](theirs)
    np.testing.assert_array_equal(own.copy_to_host(), 2 * np.arange(COUNT))
    assert address(treadle.from_dlpack(theirs)) == address(own)


def test_launches_in_a_graph_of_pytorchs():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available() or not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("torch has no GPU, or no exchange table")
    x = torch.ones(COUNT, dtype=torch.float32, device="cuda")
    double[2, 128](x)  # compiled and loaded before
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        double[2, 128](x)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert x.tolist() == [16] * COUNT
