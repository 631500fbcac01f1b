"""Type objects: names, arrays, signatures, conversion of values on the host."""

import pickle

import numpy as np
import pytest
import treadle
from treadle import cuda, types

ALIASES = {
    "boolean": "bool_ b1",
    "int8": "i1 char",
    "int16": "i2 short",
    "int32": "i4 intc",
    "int64": "i8 intp int_ ssize_t long_ longlong",
    "uint8": "u1 byte uchar",
    "uint16": "u2 ushort",
    "uint32": "u4 uintc",
    "uint64": "u8 uintp uint size_t ulong ulonglong",
    "float32": "f4 float_",
    "float64": "f8 double",
    "complex64": "c8",
    "complex128": "c16",
    "void": "none",
}


@pytest.mark.parametrize("name", ALIASES)
def test_names(name):
    type_ = getattr(types, name)
    for alias in [name, *ALIASES[name].split()]:
        assert getattr(types, alias) is type_
        assert getattr(treadle, alias) is type_
        assert getattr(cuda, alias) is type_
        assert treadle._core.parse_type(alias) == type_


def test_every_exported_name_exists():
    for module in (types, treadle, cuda):
        for name in module.__all__:
            assert hasattr(module, name), name


def test_widths():
    assert types.i8.bitwidth == 64
    assert types.u1.bitwidth == 8
    assert types.f4.bitwidth == 32
    assert types.c16.bitwidth == 128
    assert types.int32.signed
    assert not types.uint32.signed


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: types.float32[:], "array(float32, 1d, A)"),
        (lambda: types.float32[::1], "array(float32, 1d, C)"),
        (lambda: types.float32[:, :], "array(float32, 2d, A)"),
        (lambda: types.float32[:, ::1], "array(float32, 2d, C)"),
        (lambda: types.float32[::1, :], "array(float32, 2d, F)"),
        (lambda: types.boolean[:, :, ::1], "array(bool, 3d, C)"),
        (lambda: types.int8[:, :, :, :, :, :, :, :], "array(int8, 8d, A)"),
        (lambda: types.Array(types.int32, 2, "F"), "array(int32, 2d, F)"),
        (lambda: types.Array(types.int32, 2, "C", readonly=True), "readonly array(int32, 2d, C)"),
        (lambda: types.Tuple((types.int32, types.float32)), "Tuple(int32, float32)"),
        (lambda: types.Tuple([types.int32, types.int32]), "UniTuple(int32 x 2)"),
        (lambda: types.UniTuple(types.float32[:], 3), "UniTuple(array(float32, 1d, A) x 3)"),
        (lambda: types.Optional(types.int32), "Optional(int32)"),
    ],
)
def test_constructors(make, text):
    assert str(make()) == text
    assert make() == make()
    assert hash(make()) == hash(make())


@pytest.mark.parametrize(
    "make",
    [
        lambda: types.float32[0],
        lambda: types.float32[1:],
        lambda: types.float32[:3],
        lambda: types.float32[::2],
        lambda: types.float32[:, ::1, :],
        lambda: types.float32[::1, ::1],
        lambda: types.float32[()],
        lambda: types.float32[:, :, :, :, :, :, :, :, :],
        lambda: types.void[:],
        lambda: types.float32[:][:],
        lambda: types.Array(types.void, 1, "C"),
        lambda: types.Tuple(("nothing",)),
    ],
)
def test_what_is_no_type(make):
    with pytest.raises((TypeError, ValueError)):
        make()


def test_different_types_are_different():
    kinds = [types.float32, types.float64, types.float32[:], types.float32[::1], types.float32[:, :], types.void]
    for i, left in enumerate(kinds):
        for j, right in enumerate(kinds):
            assert (left == right) == (i == j)
    assert types.float32 != "float32"


def test_signatures():
    signature = types.void(types.float32[:], types.int32)
    assert repr(signature) == "(array(float32, 1d, A), int32) -> none"
    assert signature.args == (types.float32[:], types.int32)
    assert signature.return_type == types.void
    assert signature == types.void(types.float32[:], types.int32)
    assert signature != types.int32(types.float32[:], types.int32)
    assert types.float64(types.float64).return_type == types.float64
    assert types.void().args == ()
    assert types.int32("float32[:]", np.float64).args == (types.float32[:], types.float64)


def test_attributes_of_arrays():
    type_ = types.float32[:, ::1]
    assert (type_.dtype, type_.ndim, type_.layout, type_.mutable) == (types.float32, 2, "C", True)
    assert not types.Array(types.int8, 1, "C", readonly=True).mutable


@pytest.mark.parametrize(
    "type_, value, expected",
    [
        (types.int32, 3.7, np.int32(3)),
        (types.float32, 0.1, np.float32(0.1)),
        (types.uint8, True, np.uint8(1)),
        (types.complex64, 1 + 2j, np.complex64(1 + 2j)),
        (types.boolean, 2, np.bool_(True)),
        (types.float64, np.float32(0.5), np.float64(0.5)),
    ],
)
def test_conversion_on_the_host(type_, value, expected):
    found = type_(value)
    assert found == expected
    assert type(found) is type(expected)


def test_conversion_without_numpy(run_python):
    code = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "numpy" else find(name, *rest)
from treadle import boolean, complex64, float32, int8, uint16
assert float32(0.1) == 0.10000000149011612 and int8(-3.9) == -3 and uint16(7.5) == 7
assert boolean(2) is True and complex64(1) == 1 + 0j
try:
    int8(128)
except OverflowError:
    print("done")
"""
    assert run_python(code) == "done\n"


def test_void_converts_nothing():
    with pytest.raises(TypeError):
        types.float32[:](1.5)


@pytest.mark.parametrize(
    "value",
    [
        types.int32,
        types.void,
        types.float32[:, ::1],
        types.Array(types.boolean, 3, "F", readonly=True),
        types.Tuple((types.int8, types.UniTuple(types.float32[:], 2), types.Tuple(()))),
        types.Optional(types.complex64),
        types.void(types.float32[:], types.int32),
    ],
    ids=str,
)
def test_pickling(value):
    assert pickle.loads(pickle.dumps(value)) == value


def test_names_on_the_host_are_stubs():
    for call in (lambda: cuda.grid(1), lambda: cuda.threadIdx.x, lambda: cuda.shared.array(1, types.int32)):
        with pytest.raises(RuntimeError, match="kernel"):
            call()


IMPORTED_AGAIN = """
import sys
import numpy as np
import treadle
from treadle import cuda as earlier

@earlier.jit
def double(x):
    x[earlier.grid(1)] *= 2

array = earlier.to_device(np.ones(32))
for name in [name for name in sys.modules if name.partition(".")[0] == "treadle"]:
    del sys.modules[name]
from treadle import cuda, errors, float32, void

@cuda.jit(void(float32[:]))
def add(x):
    x[cuda.grid(1)] += 1

made = cuda.to_device(np.zeros(32, np.float32))
add[1, 32](made)
double[1, 32](array)
double[1, 32](cuda.to_device(array))
print(made[3], array[5], type(array) is cuda.cudadrv.devicearray.DeviceNDArray, earlier is cuda)
try:
    add[1, 32](object())
except TypeError as error:
    print("argument 1" in str(error))
try:
    cuda.device_array(1 << 45)
except errors.CudaAPIError as error:
    print(error.code)
"""


def test_treadle_can_be_imported_again(run_python):
    assert run_python(IMPORTED_AGAIN).splitlines() == ["1.0 4.0 True False", "True", "2"]
