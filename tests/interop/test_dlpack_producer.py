"""Device arrays as DLPack capsules, on the CPU device."""

import ctypes
import gc
import itertools
import threading

import numpy as np
import pytest
import treadle
from interop.producers import ASKS_FOR_1_0, CPU, IS_COPIED, Legacy, Versioned, api, delete, managed_in, name_of, take
from treadle import cuda

DTYPES = {
    "?": (6, 8), "i1": (0, 8), "i2": (0, 16), "i4": (0, 32), "i8": (0, 64), "u1": (1, 8), "u2": (1, 16), "u4": (1, 32),
    "u8": (1, 64), "f4": (2, 32), "f8": (2, 64), "c8": (5, 64), "c16": (5, 128),
}  # fmt: skip


def array(shape=(4, 6), dtype=np.float32):
    return cuda.to_device(np.arange(np.prod(shape)).reshape(shape).astype(dtype))


def exported(x, **wanted):
    return managed_in(x.__dlpack__(**{"max_version": (1, 3), **wanted}))


def live_bytes():
    gc.collect()
    return cuda.current_context().memory_manager.figures()["live_bytes"]


def test_device_is_a_tuple_of_ints_and_that_of_the_capsule():
    x = array()
    found = x.__dlpack_device__()
    assert found == (CPU, 0) and [type(part) for part in found] == [int, int]
    device = exported(x).tensor.device
    assert (device.type, device.id) == found


def test_without_arguments_it_is_a_legacy_capsule():
    assert name_of(array().__dlpack__()) == b"dltensor"


@pytest.mark.parametrize("version", [None, (0, 0), (0, 8), (1, 0), (1, 3), (1, 99), (2, 0), (100, 3)])
def test_the_version_asked_for_decides_the_struct_and_is_never_repeated(version):
    capsule = array().__dlpack__(max_version=version)
    is_versioned = version is not None and version[0] >= 1
    assert name_of(capsule) == (b"dltensor_versioned" if is_versioned else b"dltensor")
    if is_versioned:
        found = managed_in(capsule).version
        assert (found.major, found.minor) == (1, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"dl_device": ((1 << 32) + 1, 0)},
        {"max_version": 1},
        {"max_version": (1,)},
        {"max_version": ("1", 0)},
        {"dl_device": 1},
        {"unknown": 1},
    ],
)
def test_arguments_of_a_wrong_type_are_type_errors(wrong):
    with pytest.raises(TypeError, match=next(iter(wrong))):
        array().__dlpack__(**wrong)
    with pytest.raises(TypeError, match="keyword"):
        array().__dlpack__(None)


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_an_unconsumed_capsule_frees_what_it_holds(version):
    before = live_bytes()
    x = array()
    capsule = x.__dlpack__(max_version=version)
    del x
    assert live_bytes() > before
    del capsule
    assert live_bytes() == before


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_consumed_capsule_frees_nothing_until_the_deleter_is_called(version):
    before = live_bytes()
    x = array()
    managed = take(capsule := x.__dlpack__(max_version=version))
    del x, capsule
    assert live_bytes() > before
    assert ctypes.c_float.from_address(managed.tensor.data + 4).value == 1
    delete(managed)
    assert live_bytes() == before


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_consumption_by_clearing_the_destructor_is_fine(version):
    before = live_bytes()
    capsule = array().__dlpack__(max_version=version)
    managed = managed_in(capsule)
    api.PyCapsule_SetDestructor(capsule, None)
    del capsule
    assert live_bytes() > before
    delete(managed)
    assert live_bytes() == before


def test_the_deleter_runs_on_any_thread():
    before = live_bytes()
    tensors = [take(array().__dlpack__(max_version=(1, 0))) for _ in range(100)]
    for tensor in tensors:
        # Without the GIL: a foreign function releases it.
        address = ctypes.cast(tensor.deleter, ctypes.c_void_p).value
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
        thread = threading.Thread(target=call, args=(ctypes.addressof(tensor),))
        thread.start()
        thread.join()
    assert live_bytes() == before


def test_capsules_at_exit_and_deleters_after_it(run_python):
    program = """
import ctypes, sys
sys.path.insert(0, "tests")
from interop.producers import take
from treadle import cuda
kept = cuda.to_device([1.0, 2.0]).__dlpack__()
taken = take(cuda.to_device([1.0, 2.0]).__dlpack__(max_version=(1, 0)))
late = ctypes.cast(taken.deleter, ctypes.c_void_p).value
at_exit = ctypes.CDLL(None).__cxa_atexit
at_exit(ctypes.c_void_p(late), ctypes.c_void_p(ctypes.addressof(taken)), None)
"""
    assert run_python(program) == ""


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_pending_exception_survives_the_death_of_a_capsule(version):
    before = live_bytes()

    def lose():
        return [array().__dlpack__(max_version=version), {}["mine"]]  # the first is dropped by the second's exception

    with pytest.raises(KeyError, match="mine"):
        lose()
    assert live_bytes() == before


def test_memory_of_the_host_has_no_streams():
    x = array()
    for stream in (None, -1):
        assert exported(x, stream=stream).tensor.data == x.device_ctypes_pointer.value
    for stream in (0, 1, 2, -2):
        with pytest.raises(ValueError, match="stream must be None"):
            x.__dlpack__(stream=stream)
    for stream in (object(), True, 1.0):
        with pytest.raises(TypeError, match="stream must be an int or None"):
            x.__dlpack__(stream=stream)


@pytest.mark.parametrize("stream", [1 << 64, 1 << 80, -(1 << 80)])
def test_streams_that_do_not_fit(stream):
    with pytest.raises(ValueError, match="stream must be None"):
        array().__dlpack__(stream=stream)


@cuda.jit
def slowly_one(x):
    for _ in range(20_000):
        x[cuda.grid(1)] += 1


def test_pending_work_is_waited_for():
    x = cuda.to_device(np.zeros(64))
    stream = cuda.stream()
    slowly_one[1, 64, stream](x)
    assert (np.from_dlpack(x) == 20_000).all()


def test_devices_that_it_can_be_exported_to():
    x = array()
    for device in (None, (CPU, 0)):
        managed = exported(x, dl_device=device)
        assert managed.tensor.data == x.device_ctypes_pointer.value and managed.flags == 0
    for device in ((2, 0), (1, 1), (8, 0)):
        with pytest.raises(BufferError, match="not to"):
            x.__dlpack__(dl_device=device)


def test_copy():
    x = array()
    own = x.device_ctypes_pointer.value
    capsule = x.__dlpack__(copy=True, max_version=(1, 0))
    managed = managed_in(capsule)
    assert managed.tensor.data != own and managed.flags == IS_COPIED
    assert ctypes.c_float.from_address(managed.tensor.data + 20).value == 5
    for copy in (False, None):
        managed = exported(x, copy=copy)
        assert managed.tensor.data == own and managed.flags == 0


def read_only_array():
    host = np.arange(6.0)
    host.flags.writeable = False
    return treadle.from_dlpack(host)


def test_read_only():
    x = read_only_array()
    assert exported(x).flags == 1
    assert exported(x[1:]).flags == 1
    assert exported(x, copy=True).flags == IS_COPIED
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    assert name_of(x.__dlpack__(copy=True)) == b"dltensor"
    assert exported(array()).flags == 0


@pytest.mark.parametrize(
    "view, shape, strides",
    [
        (lambda x: x, (4, 6), (6, 1)),
        (lambda x: x.T, (6, 4), (1, 6)),
        (lambda x: x[::2, 1:], (2, 5), (12, 1)),
        (lambda x: x[::-1], (4, 6), (-6, 1)),
        (lambda x: x[1:2, :1], (1, 1), (6, 1)),
        (lambda x: x._view(np.float32, 0, (3, 6), (0, 4)), (3, 6), (0, 1)),
        (lambda x: x._at((1, 2)), (), ()),
    ],
)
def test_strides_and_offsets(view, shape, strides):
    x = view(array())
    tensor = exported(x).tensor
    assert tuple(tensor.shape[i] for i in range(tensor.ndim)) == shape
    assert bool(tensor.strides) or not shape
    assert tuple(tensor.strides[i] for i in range(tensor.ndim)) == strides
    assert tensor.byte_offset == 0 and tensor.data == x._address


def test_strides_that_are_no_whole_elements():
    x = cuda.to_device(np.zeros(24, np.uint8))
    odd = x._view(np.float32, 0, (3,), (6,))
    with pytest.raises(BufferError, match="whole elements"):
        odd.__dlpack__()
    assert exported(x._view(np.float32, 0, (1,), (6,))).tensor.ndim == 1


def test_arrays_without_elements_have_no_address():
    for shape in ((0,), (0, 3), (3, 0)):
        assert exported(cuda.device_array(shape)).tensor.data is None


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(dtype):
    found = exported(array((3,), dtype)).tensor.dtype
    assert (found.code, found.bits, found.lanes) == (*DTYPES[dtype], 1)


def test_records_are_refused():
    with pytest.raises(BufferError, match="no type for elements"):
        cuda.to_device(np.zeros(3, [("a", "f4")])).__dlpack__()


@pytest.mark.parametrize("order", [1, -1])
def test_two_exports_of_one_array(order):
    before = live_bytes()
    x = array()
    tensors = [take(x.__dlpack__()), take(x.__dlpack__(max_version=(1, 0)))][::order]
    assert {type(tensor) for tensor in tensors} == {Legacy, Versioned}
    del x
    delete(tensors[0])
    assert ctypes.c_float.from_address(tensors[1].tensor.data + 4).value == 1
    delete(tensors[1])
    assert live_bytes() == before


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_sees_the_values_and_the_same_memory(dtype):
    x = array((3, 4), dtype)
    for view in (x, x.T, x[::2], x[:, ::-1]):
        host = np.from_dlpack(view)
        assert host.dtype == view.dtype and host.strides == view.strides
        assert (host == view.copy_to_host() if min(view.strides) > 0 else host[:, ::-1] == x.copy_to_host()).all()
    if ASKS_FOR_1_0:
        np.from_dlpack(x)[1, 2] = 1
    else:
        with pytest.raises(ValueError, match="read-only"):
            np.from_dlpack(x)[1, 2] = 1
        x.host_view()[1, 2] = 1
    assert x[1, 2] == 1


def test_memory_of_a_lost_array_is_not_exported(run_python):
    program = """
from treadle import cuda
x = cuda.to_device([1.0])
cuda.close()
try:
    x.__dlpack__()
except cuda.cudadrv.driver.CudaAPIError as error:
    print(error.code)
"""
    assert run_python(program) == "709\n"


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_the_array_api_standard_tests(dtype):
    """Every combination of the arguments, of any shape without zero axes; and to ourselves."""
    shapes = [(1,), (2,), (0,), (1, 2), (2, 1, 2), (2, 2, 2, 1)]
    wishes = [
        {key: value for key, value in zip(("copy", "max_version", "dl_device"), chosen, strict=True) if value != "no"}
        for chosen in itertools.product(("no", None, True, False), ("no", (0, 0), (1, 0), (2, 0)), ("no", (CPU, 0)))
    ]
    for shape in shapes:
        x = array(shape, dtype)
        kind, number = x.__dlpack_device__()
        assert kind == CPU and isinstance(number, int)
        for wanted in wishes:
            assert name_of(x.__dlpack__(**wanted)) in (Legacy.name, Versioned.name)
        for wanted in ({}, {"copy": True}, {"copy": False}, {"device": "cpu"}, {"device": "cpu", "copy": True}):
            y = treadle.from_dlpack(x, **wanted)
            assert y.__dlpack_device__() == x.__dlpack_device__()
            assert y.dtype == x.dtype and (y.copy_to_host() == x.copy_to_host()).all()
