"""Memory of the host by NumPy's array interface, of objects that have no buffer protocol."""

import ctypes
import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest
from interop.producers import api
from treadle import CompileError, cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


class OfInstance:
    def __init__(self, array, **fields):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **fields}


class OfClass:
    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class AsStruct:
    def __init__(self, array):
        self.array = array

    @property
    def __array_struct__(self):
        return self.array.__array_struct__


@pytest.mark.parametrize("kind", [OfInstance, OfClass, AsStruct])
def test_kernels_use_the_memory(kind):
    host = np.arange(6.0)
    double[1, 32](kind(host))
    double[1, 32](kind(host[::2]))
    double[1, 32, cuda.stream()](kind(host))
    assert host.tolist() == [0, 4, 16, 12, 32, 20]
    assert cuda.to_device(kind(host)).copy_to_host().tolist() == host.tolist()


def test_read_only_memory():
    host = np.arange(6.0)
    host.flags.writeable = False
    for kind in (OfInstance, AsStruct):
        with pytest.raises(CompileError, match="read-only"):
            double[1, 32](kind(host))


def test_data_in_a_buffer_with_an_offset():
    memory = bytearray(np.arange(8.0).tobytes())
    shown = {"shape": (4,), "typestr": "<f8", "version": 3, "data": memory, "offset": 16}

    class Buffered:
        __array_interface__ = shown

    double[1, 32](Buffered())
    assert np.frombuffer(memory).tolist() == [0, 1, 4, 6, 8, 10, 6, 7]


@pytest.mark.parametrize("fields", [{"typestr": ">f8"}, {"typestr": "<M8[7s]"}])
def test_elements_that_kernels_have_not(fields):
    with pytest.raises(TypeError, match="argument 1 .'x'. is of type OfInstance: arrays (of dtype >f8|can hold)"):
        double[1, 32](OfInstance(np.zeros(4), **fields))


def test_what_numpy_raises_passes():
    class Wrong:
        __array_interface__ = {"shape": (4,)}

    with pytest.raises(ValueError, match="typestr"):
        double[1, 32](Wrong())

    class Missing:
        @property
        def __array_interface__(self):
            raise AttributeError("not now")

    with pytest.raises(TypeError):
        double[1, 32](Missing())


def test_the_buffer_protocol_comes_first():
    class Both(ctypes.c_double * 4):
        @property
        def __array_interface__(self):
            raise AssertionError("asked")

    both = Both(1, 2, 3, 4)
    double[1, 32](both)
    assert list(both) == [2, 4, 6, 8]


def test_data_in_the_buffer_of_the_object_itself():
    """What has a buffer is taken by that, with its elements; NumPy refuses what has none."""

    class Own(bytearray):
        __array_interface__ = {"shape": (2,), "typestr": "<f8", "version": 3, "data": None, "offset": 1}

    own = Own(b"\1\2\3")
    double[1, 32](own)
    assert own == b"\2\4\6" and cuda.to_device(own).dtype == np.uint8

    class Without:
        __array_interface__ = Own.__array_interface__

    with pytest.raises(TypeError, match="bytes-like"):
        double[1, 32](Without())


def ends_the_process(key):
    """Whether a signal ends NumPy alone where that key is missing: 2.2 crashes without a shape."""
    program = f"""if True:
        import numpy as np
        shown = np.zeros(4).__array_interface__
        del shown[{key!r}]
        try:
            np.asarray(type("Object", (), {{"__array_interface__": shown}})())
        except ValueError:
            pass
    """
    return subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60).returncode < 0


@pytest.mark.parametrize("key", ["shape", "typestr", "version"])
def test_missing_keys(key):
    if ends_the_process(key):
        pytest.skip(f"NumPy {np.__version__} ends the process where {key} is missing")
    shown = np.zeros(4).__array_interface__
    del shown[key]
    if key == "version":  # NumPy does not look at it
        double[1, 32](type("Object", (), {"__array_interface__": shown})())
        return
    with pytest.raises(ValueError, match=f"Missing __array_interface__ {key}"):
        double[1, 32](type("Object", (), {"__array_interface__": shown})())


class Struct(ctypes.Structure):
    """PyArrayInterface."""

    _fields_ = [
        ("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("data", ctypes.c_void_p), ("descr", ctypes.py_object),
    ]  # fmt: skip


IN_C_ORDER, ALIGNED, NATIVE, WRITABLE, HAS_DESCR = 0x1, 0x100, 0x200, 0x400, 0x800
USUAL = IN_C_ORDER | ALIGNED | NATIVE | WRITABLE


class WithStruct:
    def __init__(self, **fields):
        self.memory = (ctypes.c_double * 4)(1, 2, 3, 4)
        size = ctypes.c_ssize_t * 1
        given = {"two": 2, "nd": 1, "typekind": b"f", "itemsize": 8, "flags": USUAL, **fields}
        self.struct = Struct(shape=size(4), strides=size(8), data=ctypes.addressof(self.memory), **given)

    @property
    def __array_struct__(self):
        return api.PyCapsule_New(ctypes.addressof(self.struct), None, None)


def test_structs():
    assert ctypes.sizeof(Struct) == 56
    plain = WithStruct()
    double[1, 32](plain)
    assert list(plain.memory) == [2, 4, 6, 8]
    with pytest.raises(CompileError, match="read-only"):
        double[1, 32](WithStruct(flags=USUAL & ~WRITABLE))
    record = WithStruct(typekind=b"V", flags=USUAL | HAS_DESCR, descr=[("low", "<i4"), ("high", "<i4")])

    @cuda.jit
    def clear(records):
        records[cuda.grid(1)].high = 0

    clear[1, 2](record)
    assert list(record.memory) == [0, 0, 3, 4]
    assert cuda.to_device(record).dtype.names == ("low", "high")


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"two": 3}, ValueError),
        ({"nd": 99}, ValueError),
        ({"typekind": b"x"}, TypeError),
        ({"itemsize": 16}, TypeError),
        ({"flags": USUAL & ~NATIVE}, TypeError),
    ],
    ids=str,
)
def test_wrong_structs(wrong, error):
    with pytest.raises(error):
        double[1, 32](WithStruct(**wrong))


def test_what_is_no_struct():
    for value in (3, None, api.PyCapsule_New(1, b"named", None)):
        with pytest.raises((ValueError, TypeError)):
            double[1, 32](type("Object", (), {"__array_struct__": value})())


@pytest.mark.parametrize("kind", [OfInstance, AsStruct])
def test_the_object_is_kept_until_queued_work_has_run(kind):
    host, stream = np.arange(6.0), cuda.stream()
    shown = kind(host)
    kept = weakref.ref(shown)
    double[1, 32, stream](shown)
    del shown
    stream.synchronize()
    gc.collect()
    assert host.tolist() == [0, 2, 4, 6, 8, 10] and kept() is None
