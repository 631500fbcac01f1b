"""Host arrays that devices use: pinned, mapped, managed; and In, Out, InOut."""

import collections
import copy as copy_module
import gc
import pickle
import weakref

import numpy as np
import pytest
from treadle import _core, cuda, errors, float32
from treadle.devices.host_arrays import ManagedNDArray, MappedNDArray, PinnedNDArray

KINDS = [(cuda.pinned_array, PinnedNDArray), (cuda.mapped_array, MappedNDArray), (cuda.managed_array, ManagedNDArray)]


@cuda.jit
def double(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2


@cuda.jit
def copy(taken, out):
    i = cuda.grid(1)
    if i < out.size and i % 2 == 0:
        out[i] = taken[i]
        taken[i] = -1


@cuda.jit
def mark(x, flag):
    for _ in range(2000):
        cuda.atomic.add(flag, 0, 1)
    if cuda.grid(1) == 0:
        flag[1] = x.size > 0


@pytest.mark.parametrize("make", [cuda.device_array, *(make for make, _ in KINDS)])
def test_none_is_the_usual_dtype_as_numpys(make):
    assert make(3, None).dtype == make(3, None, order="F").dtype == np.zeros(3, None).dtype


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_arrays(make, kind):
    array = make((3, 4), np.float32, order="F")
    assert type(array) is kind
    assert isinstance(array, np.ndarray)
    assert (array.shape, array.dtype, array.strides) == ((3, 4), np.float32, (4, 12))
    assert make(5).dtype == np.float64
    assert make(5, float32, strides=(4,)).flags.c_contiguous
    array = make(40)
    array[:] = np.arange(40)
    double[2, 32](array)
    double[1, 32](array[5:10])
    cuda.synchronize()
    expected = np.arange(40.0) * 2
    expected[5:10] *= 2
    assert (array == expected).all()
    stream = cuda.stream()
    double[2, 32, stream](array)
    stream.synchronize()
    assert (array == expected * 2).all()
    assert array.copy_to_host().tolist() == (expected * 2).tolist()
    assert type(array.copy_to_host()) is np.ndarray
    assert array[3:9:2].copy_to_host().tolist() == array[3:9:2].tolist()
    array.copy_to_device(np.ones(40))
    assert array.sum() == 40
    assert [part.size for part in array.split(16)] == [16, 16, 8]
    assert type(next(array.split(16))) is kind
    with pytest.raises(TypeError):
        array.copy_to_device(np.ones(40, "i4"))
    with pytest.raises(ValueError):
        array.copy_to_device(np.ones(41))


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_what_is_computed_from_them_is_plain(make, kind):
    array = make(10)
    array[:] = 3
    assert type(array + 1) is np.ndarray
    assert type(array[2:]) is kind
    assert array.sum() == 30
    copied = array.copy()
    double[1, 32](copied)
    assert (copied == 6).all()
    assert (array == 3).all()


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_memory_lives_as_long_as_views(make, kind):
    manager = cuda.current_context().memory_manager
    gc.collect()
    before = manager.figures()["live_count"]
    view = make(1000)[10:20]
    view[:] = 4
    assert manager.figures()["live_count"] == before + 1
    double[1, 32](view)
    cuda.synchronize()
    assert (view == 8).all()
    del view
    assert manager.figures()["live_count"] == before


def test_launches_on_a_stream_do_not_wait_for_the_host():
    stream = cuda.stream()
    flag = cuda.mapped_array(2, np.int32)
    flag[:] = 0

    @cuda.jit
    def wait(flag):
        while flag[0] == 0:
            cuda.threadfence_system()
        flag[1] = 7

    wait[1, 1, stream](flag)
    assert flag[1] == 0
    flag[0] = 1
    stream.synchronize()
    assert flag[1] == 7


def test_host_memory_lives_until_queued_launches_have_run():
    class Watched(np.ndarray):
        pass

    stream = cuda.stream()
    flag = cuda.mapped_array(1, np.int32)
    flag[:] = 0
    seen, other = cuda.to_device(np.zeros(50)), cuda.to_device(np.zeros(50))

    @cuda.jit
    def wait(flag):
        while flag[0] == 0:
            cuda.threadfence_system()

    host = np.arange(50.0).view(Watched)
    alive = weakref.ref(host)
    device = _core.device_array_over(host)
    wait[1, 1, stream](flag)
    copy[1, 64, stream](device, seen)
    del host, device
    # A launch frees what waits for a thread that has the GIL.
    double[1, 1, cuda.stream(nonblocking=True)](other)
    gc.collect()
    assert alive() is not None
    flag[0] = 1
    stream.synchronize()
    cuda.synchronize()
    gc.collect()
    assert alive() is None
    assert seen.copy_to_host()[::2].tolist() == list(range(0, 50, 2))


def test_likes():
    for like in (cuda.pinned_array_like, cuda.mapped_array_like):
        array = like(np.zeros((2, 3), "i2", order="F"))
        assert (array.shape, array.dtype, array.strides) == ((2, 3), np.int16, (2, 4))
        assert like(cuda.device_array(7)).shape == (7,)


def test_pinned():
    host = np.arange(100.0)
    with cuda.pinned(host, host[:0], np.ones(3)):
        device = cuda.to_device(host, stream=cuda.stream())
        with pytest.raises(errors.CudaAPIError, match="pinned already") as caught, cuda.pinned(host[50:]):
            pass
        assert caught.value.code == 712
        device.copy_to_host(host)
    with cuda.pinned(host), pytest.raises(ZeroDivisionError):
        raise ZeroDivisionError
    with cuda.pinned(host):
        pass
    with pytest.raises(ValueError, match="contiguous"), cuda.pinned(host[::2]):
        pass
    with pytest.raises(TypeError, match="NumPy array"), cuda.pinned([1, 2]):
        pass


def test_mapped():
    host, other = np.arange(10.0), np.zeros((2, 3), order="F")
    with cuda.mapped(host) as device:
        double[1, 32](device)
        assert device[3] == 6
    assert (host == np.arange(10) * 2).all()
    stream = cuda.stream()
    with cuda.mapped(host, other, stream=stream) as devices:
        double[1, 32, stream](devices[0])
        assert devices[1].is_f_contiguous()
    assert (host == np.arange(10) * 4).all()
    with cuda.mapped(host), pytest.raises(errors.CudaAPIError), cuda.mapped(host):
        pass
    kept = device
    assert kept.shape == (10,)


def test_mapped_memory_is_kept_by_the_device_array():
    device = _core.device_array_over(np.arange(50.0))
    gc.collect()
    np.zeros(50)
    assert device.copy_to_host().tolist() == list(range(50))


COPIES = {
    "copy": lambda a: a.copy(),
    "zeros_like": np.zeros_like,
    "mask": lambda a: a[a > -1],
    "indices": lambda a: a[[0, 1, 2]],
    "astype": lambda a: a.astype("i8"),
    "sort": np.sort,
    "roll": lambda a: np.roll(a, 1),
    "tile": lambda a: np.tile(a, 2),
    "deepcopy": copy_module.deepcopy,
    "flatten": lambda a: a[::2].flatten(),
    "ravel": lambda a: a[::2].ravel(),
    "pickle": lambda a: pickle.loads(pickle.dumps(a)),
}


@pytest.mark.parametrize("make", [cuda.pinned_array, cuda.mapped_array, cuda.managed_array])
@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_are_memory_of_the_host_again(make, copied):
    array = make(40)
    array[:] = np.arange(40)
    plain = copied(array)
    assert not np.shares_memory(plain, array)
    assert getattr(plain, "_device", None) is None
    stream, flag = cuda.stream(), cuda.mapped_array(2, np.int64)
    flag[:] = 0
    mark[1, 64, stream](plain, flag)
    assert flag[1] == 1  # it has run: the launch waited for the host array
    device = cuda.to_device(plain)  # a copy as well
    assert device is not plain and np.array_equal(device.copy_to_host(), plain)


def test_launches_look_where_the_memory_is():
    array, other = cuda.mapped_array(40), cuda.mapped_array(4)
    plain = np.arange(40.0).view(type(array))
    plain._device = other._device
    stream, flag = cuda.stream(), cuda.mapped_array(2, np.int64)
    flag[:] = 0
    mark[1, 64, stream](plain, flag)
    assert flag[1] == 1


def test_views_of_mapped_memory_stay_mapped():
    array = cuda.mapped_array((4, 6))
    array[:] = 1
    for view in (array[1:], array.T, array[::-1, ::2], array.reshape(24), array.view("i8"), array[:0], array[2, 3:4]):
        assert view._device is array._device
        assert cuda.to_device(view) is view


@pytest.mark.parametrize("make", [cuda.pinned_array, cuda.mapped_array, cuda.managed_array])
def test_what_is_computed_in_place_stays_what_it_is(make):
    array = make(4)
    whole, address = array, array.ctypes.data
    array[:] = 1
    array += 1
    array *= 2
    assert array is whole
    for result in (np.add(array, 1, out=array), np.multiply(2, array[:], array), np.clip(array, 0, 100, out=array),
                   np.cumsum(array, out=array)):  # fmt: skip
        assert type(result) is type(whole) and result.ctypes.data == address
    zero = make(())
    zero[...] = 3
    zero += 1
    assert type(zero) is type(whole) and zero[()] == 4
    assert make is cuda.pinned_array or cuda.to_device(array) is array
    double[1, 4](array)
    cuda.synchronize()
    assert array.tolist() == [20, 40, 60, 80]
    for computed in (array + 1, np.sqrt(array), np.add(array, 1, out=np.zeros(4))):
        assert type(computed) is np.ndarray
    assert isinstance(array.sum(), float)


def test_cycles_through_mapped_memory_are_collected():
    class Watched(np.ndarray):
        pass

    for views in (1, 3):
        host = np.arange(50.0).view(Watched)
        alive = weakref.ref(host)
        with cuda.mapped(host) as device:
            host.devices = [device, *(device[i:] for i in range(1, views))]
            double[2, 32](device)
            assert host.devices[-1][-1] == 98
        del device
        gc.collect()
        assert alive() is not None
        del host
        gc.collect()
        assert alive() is None


def test_in_copies_what_tuples_hold():
    Pair = collections.namedtuple("Pair", ["taken", "rest"])

    @cuda.jit
    def spoil(pair, out):
        out[0] = pair[0][1] + pair[1][0][0]
        pair[0][1] = -1
        pair[1][0][0] = -1

    for pair in ((np.ones(3), (np.ones(2), 5)), Pair(np.ones(3), (np.ones(2), 5))):
        out = np.zeros(1)
        spoil[1, 1](cuda.In(pair), out)
        assert (out[0], pair[0].tolist(), pair[1][0].tolist()) == (2, [1, 1, 1], [1, 1])
    with pytest.raises(TypeError, match="masked"):
        spoil[1, 1](cuda.In(np.ma.masked_array([1.0])), np.zeros(1))


def test_in_out_inout():
    taken, out = np.arange(10.0), np.full(10, 5.0)
    copy[1, 32](cuda.In(taken), cuda.Out(out))
    assert (taken == np.arange(10)).all()
    assert out.tolist() == [0, 5, 2, 5, 4, 5, 6, 5, 8, 5]
    copy[1, 32, cuda.stream()](cuda.InOut(taken), cuda.Out(out))
    assert taken.tolist() == [-1, 1, -1, 3, -1, 5, -1, 7, -1, 9]
    device = cuda.to_device(np.arange(10.0))
    copy[1, 32](cuda.In(device), cuda.Out(out))  # device arrays are not copied
    assert device[0] == -1
    fortran = np.asfortranarray(np.ones((3, 2)))

    @cuda.jit
    def scale(a):
        for i in range(3):
            for j in range(2):
                a[i, j] *= 2

    scale[1, 1](cuda.In(fortran))
    scale[1, 1](cuda.InOut(fortran[::-1]))
    assert (fortran == 2).all()
    assert repr(cuda.Out(3)) == "Out(3)"
    with pytest.raises(TypeError, match="argument 1"):
        copy[1, 32](cuda.In(object()), out)


def test_not_inside_of_kernels():
    @cuda.jit
    def kernel(a):
        a[0] = cuda.to_device(a)[0]

    with pytest.raises(errors.CompileError):
        kernel[1, 1](np.zeros(2))
