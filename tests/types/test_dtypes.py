"""Dtypes, wherever they are accepted: NumPy's names mean what they mean to NumPy; unsupported ones are rejected."""

import subprocess
import sys

import numpy as np
import pytest
import treadle
from treadle import cuda, errors, types

ELEMENTS = "arrays hold numbers, dates, durations, records, strings and bytes"
SUPPORTED = {np.dtype(name) for name in "? b B h H i I l L q Q e f d F D".split()}
CHARACTERS = [prefix + name for prefix in ("", "<", "=", "|") for name in "? b B h H i I l L q Q p P e f d F D".split()]
SIZED = [prefix + name for prefix in ("", "<", "=", "|") for name in "b1 i1 u1 i2 u4 i8 u8 f2 f4 f8 c8 c16".split()]
NAMES = sorted(name for name in np.sctypeDict if isinstance(name, str) and name != "a")  # deprecated
# numpy.sctypeDict lacks some of them.
MORE = "int float complex bool byte ubyte short ushort intc uintc int_ uint long ulong longlong ulonglong intp uintp"


def numpys(name):
    """NumPy's dtype for a name; None where that is an error."""
    try:
        return np.dtype(name)
    except TypeError:
        return None


def is_held(dtype):
    """Whether arrays have such elements, although kernels do not."""
    is_narrow = dtype.type.__module__ == "ml_dtypes" and dtype.name.partition("_")[0].rstrip("0123456789") in (
        "float", "bfloat", "complex",
    )  # fmt: skip
    return dtype.itemsize > 0 and (dtype.char in "SUVMm" or is_narrow)


@pytest.mark.parametrize(
    "name", [*CHARACTERS, *SIZED, *NAMES, *MORE.split(), "half", "single", "double", "csingle", "cdouble"]
)
def test_names_mean_what_numpy_means(name):
    meant = numpys(name)
    if meant is None:
        pytest.skip("this version of NumPy has no such dtype")
    if meant in SUPPORTED:
        assert cuda.device_array(2, name).dtype == meant
        assert cuda.pinned_array(2, name).dtype == meant
        assert cuda.device_array(16, np.int8).view(name).dtype == meant
        assert types.from_dtype(name) == types.from_dtype(meant)
        return
    if is_held(meant):
        assert cuda.device_array(2, name).dtype == meant
    else:
        with pytest.raises(TypeError, match="arrays hold numbers"):
            cuda.device_array(2, name)
    if meant.kind in "mM":
        assert types.from_dtype(name) == types.from_dtype(meant)
        return
    with pytest.raises(TypeError, match="kernels have no|arrays hold numbers"):
        types.from_dtype(name)


def test_what_else_numpy_takes():
    import ctypes

    for dtype in (None, ctypes.c_int16, float, "i4,f4", [("x", "f4")], {"names": ["a"], "formats": ["i2"]}):
        assert cuda.device_array(2, dtype).dtype == np.dtype(dtype)


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (
            ">M8[s]",
            f"{ELEMENTS}, found dtype('>M8[s]'), which is not in this machine's byte order",
        ),
        ("g", f"{ELEMENTS}, found {np.dtype('g')!r}"),
        (
            ">f4",
            f"{ELEMENTS}, found dtype('>f4'), which is not in this machine's byte order",
        ),
        ("nothing", "there is no dtype 'nothing'"),
        ((1, 2), "there is no dtype (1, 2)"),
        (treadle.void, f"{ELEMENTS}, found dtype none"),
    ],
)
def test_wrong_dtypes(dtype, text):
    for make in (
        lambda: cuda.device_array(3, dtype),
        lambda: cuda.mapped_array(3, dtype),
        lambda: cuda.device_array(32, np.int8).view(dtype),
        lambda: types.from_dtype(dtype),
    ):
        with pytest.raises(TypeError) as caught:
            make()
        assert str(caught.value) == text


@pytest.mark.parametrize("make", [lambda: type("Named", (), {}), lambda: type("Named", (), {})()])
def test_dtypes_of_other_objects_are_asked_each_time(make):
    named = make()
    for dtype in (np.float32, np.float64, np.float32, np.int8):
        named.dtype = np.dtype(dtype)
        assert cuda.device_array(3, named).dtype == np.zeros(3, named).dtype == dtype


def test_names_in_kernels():
    @cuda.jit
    def kernel(out):
        out[0] = cuda.local.array(1, "byte").itemsize
        out[1] = cuda.local.array(1, "=i2").itemsize
        out[2] = cuda.local.array(1, "single").itemsize
        out[3] = cuda.shared.array(1, "D").itemsize
        pair = cuda.local.array(1, "i2,f8")
        pair[0].f1 = 2.5
        out[4] = pair[0].f1
        narrow = cuda.local.array(1, "byte")
        narrow[0] = 300
        out[5] = narrow[0]

    out = np.zeros(6)
    kernel[1, 1](out)
    assert out.tolist() == [1, 2, 4, 16, 2.5, 44]


def test_names_need_no_numpy():
    code = (
        "import sys; from treadle import _core\n"
        "print(*(_core.element_type(name) for name in ('f', '<i4', 'byte', '?')), 'numpy' in sys.modules)"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert child.stdout == "float32 int32 int8 bool False\n", child.stderr


def test_a_declared_type_is_a_type():
    class Wrong:
        __treadle_type__ = 12345

    with pytest.raises(TypeError, match="__treadle_type__ must be one of Treadle's types, found 12345"):
        cuda.device_array(3, Wrong())


HALVES = np.array([0.1, -2, np.inf, 65504], np.float16)
HALF = np.float16(0.1)
HALVES_DTYPE = HALVES.dtype


class TestFloat16:
    """Named in every way, and held in every place. tests/types/test_float16.py computes with it."""

    def test_devices_say_so(self):
        assert cuda.get_current_device().supports_float16 is True

    @pytest.mark.parametrize("dtype", ["float16", "half", "e", "f2", "<f2", np.float16, np.dtype(np.float16)])
    def test_arrays(self, dtype):
        for make in (
            cuda.device_array, cuda.pinned_array, cuda.mapped_array, cuda.managed_array,
            lambda _, dtype: cuda.device_array(2, np.float32).view(dtype),
        ):  # fmt: skip
            made = make(4, dtype)
            assert made.dtype == np.float16 and made.shape == (4,)
        assert types.from_dtype(dtype) is types.float16

    @pytest.mark.parametrize("text", ["void(float16)", "void(f2[:])", "void(Array(float16, 1, 'C'))"])
    def test_signatures(self, text):
        def kernel(x):
            pass

        kernel = cuda.jit(text)(kernel)
        assert "float16" in str(kernel.signatures[0])
        with pytest.raises(ValueError, match="bad signature: there is no type 'float17'"):
            cuda.jit("void(float17)")

    def test_names(self):
        assert types.float16 is types.f2 is types.half is cuda.float16 is treadle.float16
        assert types.float16.name == str(types.float16) == "float16"

    def test_arguments(self):
        @cuda.jit
        def kernel(x, out):
            out[0] = x[0]
            out[1] = x[3]

        for array in (HALVES, cuda.to_device(HALVES), cuda.to_device(HALVES[::-1].copy())[::-1]):
            out = np.zeros(2)
            kernel[1, 1](array, out)
            assert out.tolist() == [float(HALF), 65504]

    def test_scalar_arguments(self):
        @cuda.jit
        def kernel(x, pair, out):
            out[0] = x
            out[1] = pair[1] + x

        out = np.zeros(2)
        kernel[1, 1](HALF, (1, HALF), out)
        assert out.tolist() == [float(HALF), float(HALF + HALF)]
        assert "float16" in str(kernel.signatures[0])

    def test_fields_of_records(self):
        @cuda.jit
        def kernel(records):
            records[0].b = records[1].a
            records[0].a = 0.1
            records[1].c[1] += records[1].a

        for align in (False, True):
            dtype = np.dtype([("s", "u1"), ("a", "f2"), ("b", "f4"), ("c", "f2", (3,))], align=align)
            records = np.ones(2, dtype)
            records["a"][1] = HALF
            kernel[1, 1](records)
            assert records.tolist()[0][:3] == (1, float(HALF), float(HALF))
            assert records["c"].tolist() == [[1, 1, 1], [1, float(np.float16(1) + HALF), 1]]

    def test_captured_values(self):
        @cuda.jit
        def kernel(x):
            x[0] = HALF
            x[1] = HALVES[3]
            x[2] = np.float16(x[3])
            part = cuda.local.array(2, HALVES_DTYPE)
            part[1] = 0.1
            x[3] = part[1]

        out = np.array([0, 0, 0, 70000.0])
        kernel[1, 1](out)
        assert out.tolist() == [float(HALF), 65504, np.inf, float(HALF)]

    @pytest.mark.parametrize("text", ["float16", "half", "e", "f2", "<f2"])
    def test_texts_in_kernels(self, text):
        @cuda.jit
        def kernel(x):
            part = cuda.shared.array(2, text)
            part[0] = x[0]
            x[0] = part[0]

        out = np.full(1, 0.1)
        kernel[1, 1](out)
        assert out[0] == float(HALF)


def test_captured_scalars_without_a_number():
    date = np.datetime64(3, "7D")

    @cuda.jit
    def kernel(x):
        x[0] = date

    with pytest.raises(errors.TypingError, match="found:    object numpy.datetime64"):
        kernel[1, 1](np.zeros(1))


@pytest.mark.parametrize("value", [None, "abc", object(), [None, 1]])
def test_copies_of_what_is_no_array_name_what_was_given(value):
    with pytest.raises(TypeError, match=f"no device array can be made of a value of type {type(value).__name__}"):
        cuda.to_device(value)
