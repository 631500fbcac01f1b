"""Dtypes, wherever they are accepted: NumPy's names mean what they mean to NumPy; unsupported ones are rejected."""

import subprocess
import sys

import numpy as np
import pytest
import treadle
from treadle import cuda, errors, types

SUPPORTED = {np.dtype(name) for name in "? b B h H i I l L q Q f d F D".split()}
CHARACTERS = [prefix + name for prefix in ("", "<", "=", "|") for name in "? b B h H i I l L q Q p P f d F D".split()]
SIZED = [prefix + name for prefix in ("", "<", "=", "|") for name in "b1 i1 u1 i2 u4 i8 u8 f4 f8 c8 c16".split()]
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
        "float", "bfloat",
    )  # fmt: skip
    return dtype.itemsize > 0 and (dtype == np.float16 or dtype.char in "SUVMm" or is_narrow)


@pytest.mark.parametrize("name", [*CHARACTERS, *SIZED, *NAMES, *MORE.split(), "single", "double", "csingle", "cdouble"])
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
        with pytest.raises(TypeError, match="arrays hold numbers or records"):
            cuda.device_array(2, name)
    with pytest.raises(TypeError, match="kernels have no|arrays hold numbers or records"):
        types.from_dtype(name)


def test_what_else_numpy_takes():
    import ctypes

    for dtype in (None, ctypes.c_int16, float, "i4,f4", [("x", "f4")], {"names": ["a"], "formats": ["i2"]}):
        assert cuda.device_array(2, dtype).dtype == np.dtype(dtype)


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (">M8[s]", "arrays hold numbers or records, found dtype('>M8[s]'), which is not in this machine's byte order"),
        ("g", f"arrays hold numbers or records, found {np.dtype('g')!r}"),
        (">f4", "arrays hold numbers or records, found dtype('>f4'), which is not in this machine's byte order"),
        ("nothing", "there is no dtype 'nothing'"),
        ((1, 2), "there is no dtype (1, 2)"),
        (treadle.void, "arrays hold numbers or records, found dtype none"),
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


HALVES = np.zeros(4, np.float16)
HALF = np.float16(1)
HALVES_DTYPE = HALVES.dtype


class TestFloat16:
    """Rejected in kernels until it is supported. Arrays hold it (tests/interop/test_opaque_elements.py)."""

    def test_devices_say_so(self):
        assert not cuda.get_current_device().supports_float16

    @pytest.mark.parametrize("dtype", ["float16", "half", "e", "f2", "<f2", np.float16, np.dtype(np.float16)])
    def test_arrays(self, dtype):
        for make in (
            cuda.device_array, cuda.pinned_array, cuda.mapped_array, cuda.managed_array,
            lambda _, dtype: cuda.device_array(2, np.float32).view(dtype),
        ):  # fmt: skip
            made = make(4, dtype)
            assert made.dtype == np.float16 and made.shape == (4,)
        with pytest.raises(TypeError, match="^kernels have no float16: they have numbers and records$"):
            types.from_dtype(dtype)

    def test_signatures(self):
        for text in ("void(float16)", "void(f2[:])", "Array(float16, 1, 'C')"):
            with pytest.raises(ValueError, match="bad signature: float16 is not supported: use float32"):
                cuda.jit(text)

    def test_copies_and_arguments(self):
        @cuda.jit
        def kernel(x):
            pass

        for array in (HALVES, cuda.to_device(HALVES), cuda.mapped_array(4, np.float16)):
            with pytest.raises(TypeError, match="arrays can hold float16, but kernels do not have it"):
                kernel[1, 1](array)
        with pytest.raises(TypeError, match="float16: NumPy scalars of this type are not supported"):
            kernel[1, 1](HALF)

    def test_fields_of_records(self):
        @cuda.jit
        def other(records):
            records[0].b = 2

        @cuda.jit
        def half(records):
            records[0].a = 2

        records = np.zeros(2, [("a", "f2"), ("b", "f4")])
        other[1, 1](records)
        assert records[0]["b"] == 2
        with pytest.raises(errors.UnsupportedError, match="field 'a' has dtype float16, which kernels do not have"):
            half[1, 1](records)

    def test_captured_values(self):
        @cuda.jit
        def scalar(x):
            x[0] = HALF

        @cuda.jit
        def array(x):
            x[0] = HALVES[0]

        @cuda.jit
        def conversion(x):
            x[0] = np.float16(x[0])

        @cuda.jit
        def dtype(x):
            x[0] = cuda.local.array(2, HALVES_DTYPE)[0]

        for kernel, text in (
            (scalar, "object numpy.float16"),
            (array, "object numpy.ndarray of dtype float16"),
            (conversion, "object float16"),
            (dtype, "object numpy.dtypes.Float16DType"),
        ):
            with pytest.raises(errors.TypingError, match=text) as raised:
                kernel[1, 1](np.zeros(1))
            assert "error: float16 is not supported: use float32\n" in str(raised.value)

    @pytest.mark.parametrize("text", ["float16", "half", "e", "f2", "<f2"])
    def test_texts_in_kernels(self, text):
        @cuda.jit
        def kernel(x):
            x[0] = cuda.shared.array(2, text)[0]

        with pytest.raises(errors.TypingError, match=f"found: *'{text}'") as raised:
            kernel[1, 1](np.zeros(1))
        assert "error: float16 is not supported: use float32\n" in str(raised.value)


def test_captured_scalars_without_a_number():
    date = np.datetime64("2020-01-01")

    @cuda.jit
    def kernel(x):
        x[0] = date

    with pytest.raises(errors.TypingError, match="found:    object numpy.datetime64"):
        kernel[1, 1](np.zeros(1))


@pytest.mark.parametrize("value", [None, "abc", object(), [None, 1]])
def test_copies_of_what_is_no_array_name_what_was_given(value):
    with pytest.raises(TypeError, match=f"no device array can be made of a value of type {type(value).__name__}"):
        cuda.to_device(value)
