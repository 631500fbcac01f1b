"""Arguments and copies through the buffer protocol: many buffers, and exporters that omit optional fields."""

import array
import ctypes
import mmap
import multiprocessing
import sys

import numpy as np
import pytest
from treadle import CompileError, cuda
from treadle._core import types_of


@cuda.jit
def double(a):
    for i in range(a.size):
        a[i] *= 2


@pytest.mark.parametrize("count", [1, 2, 3, 5, 9, 17])
@pytest.mark.parametrize("kind", ["bytearray", "array", "memoryview", "in a tuple", "mixed"])
def test_many_buffers(count, kind):
    make = {
        "bytearray": lambda n: bytearray(range(n)),
        "array": lambda n: array.array("B", range(n)),
        "memoryview": lambda n: memoryview(bytearray(range(2 * n)))[::2],
        "in a tuple": lambda n: bytearray(range(n)),
        "mixed": lambda n: np.arange(n, dtype="u1") if n % 2 else bytearray(range(n)),
    }[kind]
    buffers = [make(10 + i) for i in range(count)]
    names = [f"b{i}" for i in range(count)]
    body = "".join(f"    out[{i}] = {name}.size; {name}[-1] = 200\n" for i, name in enumerate(names))
    if kind == "in a tuple":
        body = "".join(f"    out[{i}] = b[{i}].size; b[{i}][-1] = 200\n" for i in range(count))
        names = ["b"]
    namespace = {"cuda": cuda}
    exec(f"@cuda.jit\ndef kernel({', '.join(names)}, out):\n{body}", namespace)
    out = np.zeros(count, np.int64)
    namespace["kernel"][1, 1](*([tuple(buffers)] if kind == "in a tuple" else buffers), out)
    assert out.tolist() == [10 + i for i in range(count)]
    assert [bytes(buffer)[-1] for buffer in buffers] == [200] * count


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: (ctypes.c_float * 4)(1, 2, 3, 4), "array(float32, 1d, C)"),
        (lambda: ((ctypes.c_int16 * 2) * 3)((1, 2), (3, 4), (5, 6)), "array(int16, 2d, C)"),
        (lambda: (ctypes.c_double * 0)(), "array(float64, 1d, C)"),
        (lambda: ((ctypes.c_double * 0) * 3)(), "array(float64, 2d, C)"),
        (lambda: ctypes.c_int(5), "array(int32, 0d, C)"),
        (lambda: multiprocessing.RawArray(ctypes.c_long, 3), "array(int64, 1d, C)"),
    ],
)
def test_buffers_that_have_no_strides(make, text):
    data = make()
    assert str(types_of(data)[0]) == text

    @cuda.jit
    def last(a, out):
        out[0] = a.size

    out = np.zeros(1)
    last[1, 1](data, out)
    host = np.array(memoryview(data))
    assert out[0] == host.size
    device = cuda.to_device(data)
    assert np.array_equal(device.copy_to_host(), host)
    device[...] = 7
    device.copy_to_host(data)
    assert (np.array(memoryview(data)) == 7).all()
    device.copy_to_device(data)

    @cuda.jit
    def captured(out):
        out[0] = data[0] if host.ndim == 1 else data[0][0]

    if host.ndim and host.size:
        captured[1, 1](out)
        assert out[0] == 7


class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_int)]


@pytest.mark.parametrize("make", [lambda: ctypes.c_int * 2, lambda: (ctypes.c_void_p * 2)(), lambda: (Pair * 2)()])
def test_buffers_of_other_elements(make):
    with pytest.raises(TypeError):
        double[1, 1](make())


@pytest.mark.parametrize(
    "make",
    [lambda: bytearray(8), lambda: array.array("q", [0] * 8), lambda: mmap.mmap(-1, 8), lambda: (ctypes.c_int16 * 8)(),
     lambda: np.zeros((2, 4)), lambda: memoryview(np.zeros(16)[::-2])],
    ids=["bytearray", "array", "mmap", "ctypes", "NumPy", "memoryview"],
)  # fmt: skip
def test_kernels_use_the_memory(make):
    data = make()

    @cuda.jit
    def count(a):
        flat = cuda.grid(1)
        if a.ndim == 1:
            a[flat] = flat
        else:
            a[flat // 4][flat % 4] = flat

    count[1, 8](data)
    assert np.array(memoryview(data)).ravel().tolist() == list(range(8))


def test_bytes_are_read_only():
    with pytest.raises(CompileError, match="read-only"):
        double[1, 1](b"abc")
    assert cuda.to_device(b"abc").copy_to_host().tolist() == [97, 98, 99]


@pytest.mark.parametrize(
    ("host", "error"),
    [(np.zeros(3, ">f8"), "format '>d'"), (np.zeros(3, [("a", "f8")]), "format 'T{"),
     (np.zeros(3, "S2"), "format '2s'"), (np.zeros(3, "longdouble"), "format 'g'"),
     (np.zeros(3, object), "format 'O'")],
    ids=["byte order", "record", "text", "long double", "objects"],
)  # fmt: skip
def test_formats_that_are_refused(host, error):
    with pytest.raises(TypeError, match=error):
        double[1, 1](memoryview(host))


def test_strides_that_are_no_whole_elements():
    records = np.zeros(3, [("a", "i4"), ("b", "f8")])
    records["b"] = [1, 2, 3]
    field = memoryview(records["b"])
    assert field.strides == (12,)
    double[1, 1](field)
    assert records["b"].tolist() == [2, 4, 6] and records["a"].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="must be contiguous"):
        cuda.to_device(field)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have buffers from Python 3.12 on")
def test_buffers_of_classes():
    class Buffered:
        def __init__(self):
            self.memory = array.array("d", [1, 2, 3])

        def __buffer__(self, flags):
            return memoryview(self.memory)

    buffered = Buffered()
    double[1, 1](buffered)
    assert buffered.memory.tolist() == [2, 4, 6]
