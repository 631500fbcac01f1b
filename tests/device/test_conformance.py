"""What every device must do, seen through cuda: memory, attributes, launches. Runs on each device that is there."""

import signal
import subprocess
import sys

import numpy as np
import pytest
from treadle import cuda, errors, float32, int16

DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip(dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    device = cuda.to_device(host)
    assert (device.shape, device.strides, device.dtype) == (host.shape, host.strides, host.dtype)
    assert (device.ndim, device.size, device.nbytes, device.itemsize) == (3, 24, host.nbytes, host.itemsize)
    host[...] = 0
    back = device.copy_to_host()
    assert back.dtype == host.dtype
    assert np.array_equal(back, np.arange(24).reshape(2, 3, 4).astype(dtype))


def test_fortran_order():
    host = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    device = cuda.to_device(host)
    assert device.is_f_contiguous()
    assert not device.is_c_contiguous()
    assert device.flags == {"C_CONTIGUOUS": False, "F_CONTIGUOUS": True}
    back = device.copy_to_host()
    assert back.flags.f_contiguous
    assert np.array_equal(back, host)
    into = np.zeros((2, 3), order="F")
    assert device.copy_to_host(into) is into
    assert np.array_equal(into, host)
    with pytest.raises(ValueError, match=r"different strides: the device's \(8, 16\), the other one \(24, 8\)"):
        device.copy_to_host(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="different strides"):
        device.copy_to_device(cuda.device_array((2, 3)))
    device.copy_to_device(np.ones((2, 3)))  # of the host in any order
    assert device.copy_to_host().sum() == 6


@pytest.mark.parametrize("shape", [(), (0,), (1,), 5, (3, 0, 2), (2,) * 8])
def test_shapes(shape):
    device = cuda.device_array(shape, np.float32)
    expected = np.empty(shape, np.float32)
    assert device.shape == expected.shape
    assert device.copy_to_host().shape == expected.shape
    if expected.ndim:
        assert len(device) == len(expected)
    else:
        with pytest.raises(TypeError):
            len(device)


def test_device_array():
    assert cuda.device_array(3).dtype == np.float64
    assert cuda.device_array((3, 2), "f4", order="F").strides == (4, 12)
    assert cuda.device_array((3, 2), float32, strides=(4, 12)).is_f_contiguous()
    assert cuda.device_array((np.int64(3), 2), int16).nbytes == 12
    for arguments, error in [
        ((-1,), ValueError),
        (((3, 2), "f4", (4,)), ValueError),
        (((3, 2), "f4", (4, "a")), TypeError),
        (((3, 2), "f4", (1 << 62, 1 << 62)), ValueError),
        (((3, 2), "f4", (1 << 70, 4)), OverflowError),
        ((2, ">U5"), (TypeError, ValueError)),
        ((2, object), (TypeError, ValueError)),
        (((1,) * 9,), ValueError),
        (((2**40, 2**40),), ValueError),
    ]:
        with pytest.raises(error):
            cuda.device_array(*arguments)
    with pytest.raises(ValueError):
        cuda.device_array(3, order="K")


def test_device_array_like():
    for host in (np.zeros((3, 4), np.int8), np.zeros((3, 4), order="F"), np.zeros(7, np.complex64), np.zeros(())):
        for like in (cuda.device_array_like(host), cuda.device_array_like(cuda.to_device(host))):
            assert (like.shape, like.dtype, like.strides) == (host.shape, host.dtype, host.strides)
    strided = np.zeros((4, 6))[::2, ::3]
    assert cuda.device_array_like(strided).strides == (16, 8)
    whole = np.zeros((2, 3, 4, 5), np.int16)
    for host in (whole.transpose(1, 3, 0, 2), whole[::-1].swapaxes(0, 2), whole[:, ::2].T, whole[..., 1]):
        assert cuda.device_array_like(host).strides == np.empty_like(host).strides
    assert cuda.device_array_like(np.broadcast_to(np.zeros(3), (4, 3))).shape == (4, 3)
    with pytest.raises(TypeError):
        cuda.device_array_like(3.5)


def test_to_device_of_anything():
    assert cuda.to_device([1, 2, 3]).copy_to_host().tolist() == [1, 2, 3]
    assert cuda.to_device(2.5).copy_to_host() == 2.5
    assert cuda.to_device(bytearray(b"abc")).copy_to_host().tolist() == [97, 98, 99]
    device = cuda.to_device(np.arange(3))
    assert cuda.to_device(device) is device
    empty = cuda.to_device(np.arange(3.0), copy=False)
    assert empty.shape == (3,)
    target = cuda.device_array(3)
    assert cuda.to_device(np.arange(3.0), to=target) is target
    assert target.copy_to_host().tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="contiguous"):
        cuda.to_device(np.arange(6)[::2])
    with pytest.raises(TypeError):
        cuda.to_device(np.array([None]))


def test_copies_check_their_sides():
    device = cuda.to_device(np.zeros(3))
    with pytest.raises(TypeError, match="different element types"):
        device.copy_to_host(np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="different shapes"):
        device.copy_to_host(np.zeros(4))
    with pytest.raises(TypeError, match="different element types: the device's float64, the other one int64;"):
        device.copy_to_device(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="different shapes"):
        device.copy_to_device(np.zeros((3, 1)))
    read_only = np.zeros(3)
    read_only.flags.writeable = False
    with pytest.raises((BufferError, ValueError)):
        device.copy_to_host(read_only)
    device.copy_to_device(np.arange(3.0))
    other = cuda.device_array(3)
    other.copy_to_device(device)
    assert other.copy_to_host().tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"this array is not contiguous: shape \(2,\), strides \(16,\)"):
        device[::2].copy_to_device(np.zeros(2))
    with pytest.raises(ValueError, match="to copy from is not contiguous"):
        cuda.device_array(2).copy_to_device(device[::2])
    device.copy_to_device(np.arange(6.0)[::-2])
    assert device.copy_to_host().tolist() == [5, 3, 1]


def test_indexing():
    host = np.arange(60.0).reshape(3, 4, 5)
    device = cuda.to_device(host)
    for index in [
        0, -1, slice(None), slice(1, None), slice(None, None, -1), (1, 2), (..., 3), (1, ...), (slice(None), 2),
        (slice(None, None, 2), slice(1, 3), -1), (slice(2, 0, -1), ..., slice(None, None, -2)), ..., (), slice(5, 9),
    ]:  # fmt: skip
        assert np.array_equal(np.asarray(device[index]), host[index]), index
        assert device[index].shape == host[index].shape
    assert device[1, 2, 3] == host[1, 2, 3]
    assert isinstance(device[1, 2, 3], np.float64)
    with pytest.raises(NotImplementedError, match="negative strides"):
        device[::-1].copy_to_host()
    for index in [3, -4, (0, 0, 0, 0), (..., ...), 1.5, "x", None, True, (0, False), np.array([1]), host > 3, [0, 1]]:
        with pytest.raises(IndexError):
            device[index]
        if index is not None and not isinstance(index, str):
            with pytest.raises(IndexError):
                device[index] = 7
    assert np.array_equal(device.copy_to_host(), host)


def test_views_share_memory_and_keep_it():
    device = cuda.to_device(np.zeros((4, 4)))
    row = device[2]
    corner = device[::3, ::3]

    @cuda.jit
    def fill(a, value):
        i = cuda.grid(1)
        if i < a.shape[0]:
            a[i] = value

    fill[1, 32](row, 5)
    host = device.copy_to_host()
    assert host[2].tolist() == [5] * 4
    del device
    assert corner.copy_to_host().tolist() == [[0, 0], [0, 0]]
    assert row.copy_to_host().tolist() == [5] * 4


def test_assignment():
    device = cuda.to_device(np.zeros((3, 4)))
    device[1] = 5
    device[:, 2] = np.arange(3.0)
    device[2, :2] = cuda.to_device(np.array([8.0, 9.0]))
    assert device.copy_to_host().tolist() == [[0, 0, 0, 0], [5, 5, 1, 5], [8, 9, 2, 0]]
    with pytest.raises(ValueError):
        device[:] = np.zeros(5)


def test_assignments_convert_and_broadcast_as_numpys():
    host = np.arange(12, dtype="i4").reshape(3, 4)
    device = cuda.to_device(host)
    for key, value in [
        ((slice(None), 1), 7.9),
        (0, [1, 2, 3, 4]),
        ((slice(None, None, -2), slice(1, 3)), np.array([[5.5], [6.5]])),
        ((Ellipsis, 3), np.float32(2.5)),
        ((1, 1), True),
        (2, np.arange(4, dtype="u1")[::-1]),
        (slice(0, 2), cuda.to_device(np.arange(4.0))),
        ((), 3),
    ]:
        host[key] = value if not isinstance(value, cuda.DeviceNDArray) else value.copy_to_host()
        device[key] = value
        assert device.copy_to_host().tolist() == host.tolist()
    with pytest.raises(ValueError, match=r"shape \(3, 4\) cannot be assigned an array of shape \(3,\)"):
        device[...] = np.zeros(3)
    with pytest.raises(OverflowError):
        device[0, 0] = 2**40
    assert device.copy_to_host().tolist() == host.tolist()


def test_parts_of_one_array_are_assigned_to_each_other():
    host = np.arange(40.0).reshape(5, 8)
    device = cuda.to_device(host)
    for to, source in [
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:, :-1], np.s_[:, 1:]),
        (np.s_[::-1], np.s_[:]),
        (np.s_[:, ::2], np.s_[:, 1::2]),
    ]:
        host[to] = host[source].copy()
        device[to] = device[source]
        assert device.copy_to_host().tolist() == host.tolist()


def test_numpy_sees_the_elements():
    device = cuda.to_device(np.arange(6.0).reshape(2, 3))
    assert np.array_equal(np.asarray(device), np.arange(6.0).reshape(2, 3))
    assert np.asarray(device, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        device.__array__(copy=False)


@pytest.mark.parametrize("copy", [np.asarray, np.array, lambda device: device.__array__(copy=True)])
@pytest.mark.parametrize("part", [..., np.s_[:, ::-2], np.s_[1:, 1], np.s_[:0]], ids=str)
def test_numpy_arrays_of_device_arrays_are_copies(copy, part):
    device = cuda.to_device(np.arange(6.0).reshape(2, 3))[part]
    before = copy(device)
    expected = np.arange(6.0).reshape(2, 3)[part]
    assert before.flags.writeable and np.array_equal(before, expected)
    device[...] = 9
    assert np.array_equal(before, expected)
    before[...] = 5
    assert (np.asarray(device) == 9).all()


def test_nothing_shares_the_memory_unless_it_is_asked_to():
    device = cuda.to_device(np.zeros(4))
    with pytest.raises(TypeError):
        memoryview(device)
    assert not hasattr(device, "__array_interface__") and not hasattr(device, "__array_struct__")


def test_host_view():
    host = np.arange(6.0).reshape(2, 3)
    device = cuda.to_device(host)
    for index in (..., np.s_[:, ::2], np.s_[::-1, 1], np.s_[1:1]):
        view, expected = device[index].host_view(), host[index]
        assert (view.shape, view.strides, view.dtype) == (expected.shape, expected.strides, expected.dtype)
        assert np.array_equal(view, expected)
    view = device.host_view()
    device[0, 0] = 7
    view[1, 2] = 8
    assert view[0, 0] == 7 and device[1, 2] == 8
    del device
    assert view[1, 1] == 4  # the view keeps the memory


def test_memory_is_aligned():
    for size in (1, 3, 1000):
        assert cuda.device_array(size, np.int8)._address % 256 == 0


def test_too_much_memory():
    with pytest.raises(errors.CudaAPIError, match="out of memory"):
        cuda.device_array((1 << 46,), np.int8)


def test_attributes():
    device = cuda.get_current_device()
    assert device.id == 0
    assert device.name
    assert device.name.decode("utf-8") == device.name
    assert device.compute_capability >= (7, 5)
    assert device.compute_capability == (device.COMPUTE_CAPABILITY_MAJOR, device.COMPUTE_CAPABILITY_MINOR)
    expected = {
        "MAX_THREADS_PER_BLOCK": 1024, "MAX_BLOCK_DIM_X": 1024, "MAX_BLOCK_DIM_Y": 1024, "MAX_BLOCK_DIM_Z": 64,
        "MAX_GRID_DIM_X": 2**31 - 1, "MAX_GRID_DIM_Y": 65535, "MAX_GRID_DIM_Z": 65535, "WARP_SIZE": 32,
        "MAX_SHARED_MEMORY_PER_BLOCK": 49152,
    }  # fmt: skip
    for name, value in expected.items():
        assert getattr(device, name) == value
        assert name in dir(device)
    assert device.MULTIPROCESSOR_COUNT >= 1
    assert device.ASYNC_ENGINE_COUNT >= 0
    for name in dir(device):
        getattr(device, name)
    with pytest.raises(AttributeError, match="NO_SUCH_ATTRIBUTE"):
        _ = device.NO_SUCH_ATTRIBUTE
    assert device == cuda.get_current_device()


def test_host_interface(capsys):
    assert cuda.is_available() is True
    assert cuda.detect() is True
    assert "Found 1 device" in capsys.readouterr().out
    cuda.synchronize()


BLOCKS = [1, 31, 32, 33, 100, 256, 1024, (5, 7, 3), (16, 16), (8, 8), (33, 1), (1, 33), (4, 4, 64)]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("grid", [1, 3, (2, 3), (2, 2, 2)])
def test_every_thread_runs_once(grid, block):
    @cuda.jit
    def kernel(counts):
        thread = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
        size = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
        place = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)
        counts[place * size + thread] += 1

    counts = np.zeros(int(np.prod(grid)) * int(np.prod(block)), np.int32)
    kernel[grid, block](counts)
    assert (counts == 1).all()


def test_launches_are_in_order():
    @cuda.jit
    def step(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] = a[i] * 3 + 1

    device = cuda.to_device(np.zeros(100_000, np.int64))
    expected = 0
    for _ in range(20):
        step[400, 256](device)
        expected = expected * 3 + 1
    assert (device.copy_to_host() == expected).all()


def test_unknown_devices(run_python):
    code = "from treadle import cuda\ntry: cuda.get_current_device().WARP_SIZE\n"
    code += "except Exception as e: print(type(e).__name__, e)"
    assert "must be cuda, cpu, both" in run_python(code, TREADLE_DEVICE="tpu")
    assert "no CUDA driver" in run_python(code, TREADLE_DEVICE="cuda", LD_LIBRARY_PATH="")
    assert (
        run_python("from treadle import cuda; print(cuda.is_available())", TREADLE_DEVICE="cuda", LD_LIBRARY_PATH="")
        == "False\n"
    )


COPIES = """
import signal
import numpy as np
from treadle import cuda

class Stop(Exception):
    pass

def handler(*_):
    raise Stop

signal.signal(signal.SIGALRM, handler)
shape = 8192, 8192
source, zeros = np.ones(shape, np.uint8).T, np.zeros(shape, np.uint8)
device = cuda.to_device(zeros)

def is_partly_copied():
    seen = device.copy_to_host()
    return seen[0, 0] == 1 and seen[-1, -1] == 0

def is_ended(copy):
    for delay in range(1, 300):  # until the signal comes in the middle
        device.copy_to_device(zeros)
        try:
            signal.setitimer(signal.ITIMER_REAL, delay / 1000)
            copy()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Stop:
            cuda.synchronize()  # raises nothing
            if is_partly_copied():
                return True
    return False

def from_host():
    device.copy_to_device(source)

def assigned():
    device[...] = source

for copy in from_host, assigned:
    print(copy.__name__, is_ended(copy))
    copy()
    assert device.copy_to_host().all()
"""


def test_a_handler_that_raises_ends_a_copy(run_python):
    assert run_python(COPIES) == "from_host True\nassigned True\n"


TOUCHES = """
import ctypes
from treadle import cuda

device = cuda.to_device([1.0])
print(device.copy_to_host().tolist(), flush=True)
ctypes.string_at(device.device_ctypes_pointer.value, 1)
"""


def test_the_host_cannot_touch_the_memory_of_a_remote_device():
    done = subprocess.run([sys.executable, "-c", TOUCHES], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[1.0]\n"
    assert done.returncode == -signal.SIGSEGV


def test_a_grid_does_not_wait_for_threads_that_a_failed_check_has_ended():
    @cuda.jit(debug=True)
    def fails_before_the_barrier(x):
        if cuda.grid(1) == 32:
            x[1_000_000] = 1
        cuda.cg.this_grid().sync()

    @cuda.jit
    def rotate(x, rounds):
        i = cuda.grid(1)
        for _ in range(rounds):
            value = x[(i + 1) % x.size]
            cuda.cg.this_grid().sync()
            x[i] = value
            cuda.cg.this_grid().sync()

    for _ in range(2):
        with pytest.raises(IndexError, match="out of bounds"):
            fails_before_the_barrier[2, 32](cuda.to_device(np.zeros(64)))
            cuda.synchronize()
        x = cuda.to_device(np.arange(96))
        rotate[3, 32](x, 5)  # its barriers begin anew
        assert x.copy_to_host().tolist() == [(i + 5) % 96 for i in range(96)]
