"""Arguments: each kind of value arrives with its type and value, and unsupported ones get a clear error."""

import array
import collections
import enum

import numpy as np
import pytest
from treadle import cuda, errors, types
from treadle._core import types_of


@cuda.jit
def store(out, value):
    out[0] = value


def through_kernel(value, dtype):
    out = np.zeros(1, dtype)
    store[1, 1](out, value)
    return out[0]


class Colour(enum.Enum):
    RED = 7
    BLUE = 2.5


class Level(enum.IntEnum):
    HIGH = 9


class Flags(enum.IntFlag):
    A = 4


SCALARS = [
    (0, types.int64, np.int64),
    (-1, types.int64, np.int64),
    (2**63 - 1, types.int64, np.int64),
    (-(2**63), types.int64, np.int64),
    (2**63, types.uint64, np.uint64),
    (2**64 - 1, types.uint64, np.uint64),
    (1.5, types.float64, np.float64),
    (float("inf"), types.float64, np.float64),
    (True, types.boolean, np.bool_),
    (False, types.boolean, np.bool_),
    (1.5 - 2j, types.complex128, np.complex128),
    (np.bool_(True), types.boolean, np.bool_),
    (np.int8(-128), types.int8, np.int8),
    (np.uint8(255), types.uint8, np.uint8),
    (np.int16(-32768), types.int16, np.int16),
    (np.uint16(65535), types.uint16, np.uint16),
    (np.int32(-(2**31)), types.int32, np.int32),
    (np.uint32(2**32 - 1), types.uint32, np.uint32),
    (np.int64(-(2**63)), types.int64, np.int64),
    (np.uint64(2**64 - 1), types.uint64, np.uint64),
    (np.longlong(-5), types.int64, np.int64),
    (np.ulonglong(5), types.uint64, np.uint64),
    (np.intc(-5), types.int32, np.int32),
    (np.float32(0.1), types.float32, np.float32),
    (np.float64(0.1), types.float64, np.float64),
    (np.complex64(1 - 2j), types.complex64, np.complex64),
    (np.complex128(0.1 + 0.3j), types.complex128, np.complex128),
    (Colour.RED, types.int64, np.int64),
    (Colour.BLUE, types.float64, np.float64),
    (Level.HIGH, types.int64, np.int64),
    (Flags.A, types.int64, np.int64),
]


@pytest.mark.parametrize("value, type_, dtype", SCALARS, ids=lambda value: repr(value)[:30])
def test_scalars(value, type_, dtype):
    assert types_of(value) == (type_,)
    plain = value.value if isinstance(value, enum.Enum) else value
    assert through_kernel(value, dtype) == plain


def test_widths_of_scalars_never_share_code():
    """One kernel launched with all widths in turn, twice: each is read at its own width."""
    for _ in range(2):
        assert through_kernel(np.float32(0.1), np.float64) == np.float64(np.float32(0.1))
        assert through_kernel(0.1, np.float64) == 0.1
        assert through_kernel(np.int8(-1), np.int64) == -1
        assert through_kernel(np.uint8(255), np.int64) == 255
        assert through_kernel(2**40, np.int64) == 2**40


def test_integers_beyond_64_bits():
    for value in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError, match="does not fit 64 bits"):
            store[1, 1](np.zeros(1), value)


def test_none():
    assert types_of(None) == (types.none,)

    @cuda.jit
    def kernel(out, value):
        if value is None:
            out[0] = 1
        else:
            out[0] = value

    out = np.zeros(1)
    kernel[1, 1](out, None)
    assert out[0] == 1
    kernel[1, 1](out, 5)
    assert out[0] == 5


Point = collections.namedtuple("Point", "x y")


def test_tuples():
    @cuda.jit
    def kernel(out, pair, nested, point, empty):
        out[0] = pair[0]
        out[1] = pair[1]
        out[2] = nested[0]
        out[3] = nested[1][0]
        out[4] = nested[1][1][2]
        out[5] = point.x
        out[6] = point.y[1]
        out[7] = len(empty)

    out = np.zeros(8)
    kernel[1, 1](out, (1, 2.5), (3, (4.5, np.arange(3) * 10)), Point(6, np.array([0, 7.5])), ())
    assert out.tolist() == [1, 2.5, 3, 4.5, 20, 6, 7.5, 0]


def test_types_of_tuples():
    assert str(types_of((1, 2))[0]) == "UniTuple(int64 x 2)"
    assert str(types_of((1, 2.0))[0]) == "Tuple(int64, float64)"
    named = types_of(Point(1, 2.0))[0]
    assert named != types_of((1, 2.0))[0]
    assert named == types_of(Point(5, 6.0))[0]
    assert "Point" in str(named)


def test_namedtuple_classes_of_one_name_are_different_types():
    other = collections.namedtuple("Point", "y x")
    assert types_of(Point(1, 2)) != types_of(other(1, 2))

    @cuda.jit
    def kernel(out, p):
        out[0] = p.x

    out = np.zeros(1)
    kernel[1, 1](out, Point(1, 2))
    assert out[0] == 1
    kernel[1, 1](out, other(1, 2))
    assert out[0] == 2


def test_subclass_of_tuple_without_fields_is_a_tuple():
    class Pair(tuple):
        pass

    assert types_of(Pair((1, 2))) == types_of((1, 2))


@cuda.jit
def double(a):
    for i in range(a.shape[0]):
        a[i] = a[i] * 2


DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("dtype", DTYPES)
def test_array_dtypes(dtype):
    a = np.array([1, 0, 3]).astype(dtype)
    assert types_of(a)[0] == types.Array(dtype, 1, "C")
    expected = (a * 2).astype(dtype)
    double[1, 1](a)
    assert a.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", ["longlong", "ulonglong", "intc"])
def test_other_names_of_c_integers(dtype):
    a = np.arange(3, dtype=dtype)
    double[1, 1](a)
    assert a.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: np.zeros(3, ">f4"), "not in this machine's byte order"),
        (lambda: np.zeros(3, object), "dtype object are not supported"),
        (lambda: np.zeros(3, "U257"), "arrays can hold U257, but kernels do not have it"),
        (lambda: np.zeros(3, "datetime64[7s]"), "arrays can hold datetime64[7s], but kernels do not have it"),
        (lambda: np.zeros(3, ">i4"), "dtype >i4 are not in this machine's byte order"),
        (lambda: np.zeros(3, object), "dtype object are not supported"),
        (lambda: np.zeros(3, np.longdouble), "are not supported"),
        (lambda: np.broadcast_to(np.zeros(1), ((1 << 47) + 1,)), "axis 0 has 140737488355329 elements"),
        (lambda: memoryview(np.zeros((0, (1 << 47) + 1))), "axis 1 has 140737488355329 elements"),
        (lambda: np.zeros((1,) * 9), "at most 8 dimensions, this one 9"),
        (lambda: np.ma.masked_array([1, 2], [True, False]), "masked arrays are not supported"),
        (lambda: "x" * 257, "texts have at most 256 characters, this one 257"),
        (lambda: [1, 2], "pass an array"),
        (dict, "dictionaries cannot be passed"),
        (lambda: object(), "kernels take numbers, arrays, tuples of them, and None"),
        (lambda: (1, {"text"}), "kernels take numbers, arrays, tuples of them, and None"),
        (lambda: np.longdouble(1), "NumPy scalars of this type"),
        (lambda: np.datetime64(1, "7s"), "NumPy scalars of dtype datetime64[7s] are not supported"),
        (lambda: array.array("u", "abc"), "format"),
    ],
)
def test_what_is_no_argument(make, text):
    value = make()
    with pytest.raises(TypeError) as raised:
        store[1, 1](np.zeros(1), value)
    assert str(raised.value).startswith("store: argument 2 ('value') is of type ")
    assert type(value).__name__ in str(raised.value)
    assert text in str(raised.value)


def test_what_one_value_of_a_class_has_not_another_may_have():
    @cuda.jit
    def first(out, x):
        out[0] = x[0]

    for show in ("__cuda_array_interface__", "__array_interface__"):
        Bare = type("Bare", (), {})
        host, array = np.zeros(3), np.ones(3)
        shown = cuda.to_device(array) if "cuda" in show else array
        bare, holder = Bare(), Bare()
        setattr(holder, show, getattr(shown, show))
        for _ in range(2):
            with pytest.raises(TypeError, match="kernels take numbers, arrays"):
                store[1, 1](host, bare)
            first[1, 1](host, holder)
            assert host[0] == 1


def test_errors_of_values_pass():
    class Broken(enum.Enum):
        A = 1

        @property
        def value(self):
            raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError, match="broken"):
        store[1, 1](np.zeros(1), Broken.A)


def test_deep_tuples_are_refused():
    value = 1
    for _ in range(100):
        value = (value,)
    with pytest.raises(TypeError, match="nested too deeply"):
        store[1, 1](np.zeros(1), value)


@pytest.mark.parametrize("value", [(1,) * 1000, ((1,) * 60,) * 17, ((),) * 100_000])
def test_large_tuples_are_refused(value):
    with pytest.raises(TypeError, match="it has 1000 items or more, with those of tuples in it: pass an array"):
        store[1, 1](np.zeros(1), value)


def test_tuples_below_the_limit():
    @cuda.jit
    def last(out, values):
        out[0] = values[998]

    out = np.zeros(1)
    last[1, 1](out, (1,) * 998 + (2,))
    assert out[0] == 2


@cuda.jit
def add_index_2d(a):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] += 10 * i + j


def view_cases():
    base = np.zeros((6, 8))
    yield "C", base[:], "C"
    yield "F", np.asfortranarray(base), "F"
    yield "rows", base[::2], "A"
    yield "columns", base[:, ::3], "A"
    yield "negative", base[::-1, ::-2], "A"
    yield "transposed", base[:, :5].T, "A"
    yield "one row", base[:1], "C"
    yield "one column", base[:, :1], "A"
    yield "empty", base[:0], "C"
    yield "empty columns", base[:, 3:3], "C"


@pytest.mark.parametrize("name, view, layout", view_cases(), ids=lambda value: value if isinstance(value, str) else "")
def test_layouts(name, view, layout):
    view = view.copy(order="K") if name in ("C", "F") else view
    found = types_of(view)[0]
    assert found.layout == layout
    view[...] = 0
    add_index_2d[(1, 1), (8, 8)](view)
    i, j = np.indices(view.shape)
    assert np.array_equal(view, 10 * i + j)


def test_layouts_are_what_numpy_says():
    empty = np.zeros((3, 0, 2), order="F")
    for a in (np.zeros((3, 1)), np.zeros((1, 3)), empty, np.zeros(5)[::2], np.zeros((2, 3, 4)).T):
        expected = "C" if a.flags.c_contiguous else "F" if a.flags.f_contiguous else "A"
        assert types_of(a)[0].layout == expected


def test_zero_strides_read_and_written():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        out[i] = a[i]
        a[i] = 5

    base = np.array([3.0])
    view = np.lib.stride_tricks.as_strided(base, (64,), (0,))
    out = np.zeros(64)
    kernel[1, 64](out, view)
    assert set(out) <= {3.0, 5.0}
    assert base[0] == 5


def test_zero_dimensions():
    @cuda.jit
    def kernel(a):
        a[()] += 2

    a = np.array(1.5)
    kernel[1, 1](a)
    assert a == 3.5


def test_eight_dimensions():
    @cuda.jit
    def kernel(a):
        a[1, 0, 1, 0, 1, 0, 1, 0] = a.ndim

    a = np.zeros((2,) * 8)
    kernel[1, 1](a)
    assert a[1, 0, 1, 0, 1, 0, 1, 0] == 8
    assert a.sum() == 8


def test_read_only_arrays():
    a = np.arange(3.0)
    a.flags.writeable = False
    assert not types_of(a)[0].mutable
    out = np.zeros(3)

    @cuda.jit
    def copy(out, a):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = a[i]

    copy[1, 32](out, a)
    assert out.tolist() == [0, 1, 2]
    with pytest.raises(errors.TypingError, match="read-only"):
        double[1, 1](a)
    assert a.tolist() == [0, 1, 2]


class Subclass(np.ndarray):
    pass


def test_subclasses_of_ndarray():
    a = np.arange(3.0).view(Subclass)
    double[1, 1](a)
    assert a.tolist() == [0, 2, 4]
    matrix = np.asmatrix(np.zeros((2, 2)))
    add_index_2d[(1, 1), (2, 2)](matrix)
    assert matrix.tolist() == [[0, 1], [10, 11]]


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_array_module(code):
    a = array.array(code, [1, 2, 3])
    double[1, 1](a)
    assert a.tolist() == [2, 4, 6]


def test_buffers_in_place():
    data = bytearray([1, 2, 3])
    double[1, 1](data)
    assert data == bytearray([2, 4, 6])
    view = memoryview(bytearray(12)).cast("i")
    view[1] = 21
    double[1, 1](view)
    assert view.tolist() == [0, 42, 0]
    every_second = memoryview(bytearray([1, 2, 3, 4]))[::2]
    assert types_of(every_second)[0].layout == "A"
    double[1, 1](every_second)
    assert every_second.tolist() == [2, 6]
    table = memoryview(bytearray(6)).cast("B", (2, 3))
    add_index_2d[(1, 1), (2, 3)](table)
    assert table.tolist() == [[0, 1, 2], [10, 11, 12]]


def test_buffers_are_released():
    data = bytearray(3)
    double[1, 1](data)
    data.append(4)  # a bytearray that is still exported cannot be resized
    with pytest.raises(errors.TypingError, match="read-only"):
        double[1, 1](bytes(3))


def test_bytes_are_read_only():
    assert str(types_of(b"abc")[0]) == "readonly array(uint8, 1d, C)"


def test_device_arrays():
    a = cuda.to_device(np.arange(6.0).reshape(2, 3))
    add_index_2d[(1, 1), (2, 3)](a)
    assert a.copy_to_host().tolist() == [[0, 2, 4], [13, 15, 17]]


def test_forty_arguments():
    names = [f"a{i}" for i in range(70)]
    namespace = {"cuda": cuda}
    exec(f"def kernel(out, {', '.join(names)}):\n    out[0] = {' + '.join(names)}\n", namespace)
    out = np.zeros(1, np.int64)
    cuda.jit(namespace["kernel"])[1, 1](out, *range(70))
    assert out[0] == sum(range(70))
    arrays = [np.full(1, i) for i in range(70)]
    exec(f"def kernel(out, {', '.join(names)}):\n    out[0] = {' + '.join(f'{n}[0]' for n in names)}\n", namespace)
    cuda.jit(namespace["kernel"])[1, 1](out, *arrays)
    assert out[0] == sum(range(70))


def test_works_without_numpy_in_sight(run_python):
    code = """
import sys
from treadle import cuda
import array
@cuda.jit
def double(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2
values = array.array("f", range(100))
double[4, 32](values)
assert list(values) == [2 * i for i in range(100)]
assert "numpy" not in sys.modules
print("done")
"""
    assert run_python(code) == "done\n"
