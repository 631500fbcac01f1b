"""Rows of docs/feature_rows.txt that no other test shows as a program would use them."""

import cmath
import enum
import math
import re
from collections import namedtuple

import numpy as np
import pytest
from treadle import cuda, float32, void
from treadle.errors import TypingError

Point = namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def value_of(expression, *arguments, **names_in_it):
    """What a kernel gives for an expression of a, b, ... as float64."""
    names = "abcdef"[: len(arguments)]
    scope = {"np": np, "math": math, "cmath": cmath, "cuda": cuda, "Colour": Colour, "Level": Level, **names_in_it}
    exec(f"def kernel({', '.join([*names, 'out'])}):\n    out[0] = {expression}\n", scope)
    out = np.zeros(1)
    cuda.jit(scope["kernel"])[1, 1](*arguments, out)
    return out[0]


def increment(x):
    x[0] = x[0] / x[1] + 1


def ptx(**options):
    return cuda.compile_ptx(increment, void(float32[:]), **options)[0]


def test_lines_of_the_source_are_in_the_ptx():
    assert re.search(r"^\s*\.loc\s+\d+ \d+", ptx(lineinfo=True), re.M) and __file__ in ptx(lineinfo=True)
    assert ".loc" not in ptx()


def test_fastmath_divides_approximately():
    assert "div.approx" in ptx(fastmath=True)
    assert "div.rn" in ptx()


def test_registers_are_limited_in_the_ptx():
    @cuda.jit(max_registers=40)
    def kernel(x):
        x[0] = 1

    kernel[1, 1](np.zeros(1))
    assert all(re.search(r"\.maxnreg\s+40", text) for text in kernel.inspect_ptx().values())


def test_device_functions_compile_ahead():
    @cuda.jit(device=True)
    def half(x):
        return x / 2

    half.compile_device((float32,))
    assert value_of("half(a)", np.float32(3), half=half) == 1.5


def test_calls_with_unpacked_tuples():
    @cuda.jit(device=True)
    def total(a, b=10, *more):
        return a + b + 100 * len(more)

    @cuda.jit
    def kernel(t, out):
        out[0], out[1], out[2] = total(*t), total(1, b=3), total(1)

    out = np.zeros(3)
    kernel[1, 1]((1, 2, 3, 4), out)
    assert out.tolist() == [203, 4, 11]


def test_nested_and_aligned_records():
    packed = np.dtype([("a", "f4"), ("in", [("x", "i2"), ("y", "f8", (2, 2))])])
    aligned = np.dtype([("a", "i1"), ("b", "f8")], align=True)

    @cuda.jit
    def kernel(p, q):
        p[0].a = 1
        p[1]["in"]["y"][1, 0] = 5
        p["a"][2] = 7
        p[2]["in"].x = 3
        q[1].b = 4
        q[0] = q[1]

    p, q = np.zeros(3, packed), np.zeros(2, aligned)
    kernel[1, 1](p, q)
    assert p["a"].tolist() == [1, 0, 7] and p["in"]["x"].tolist() == [0, 0, 3]
    assert p["in"]["y"][1].tolist() == [[0, 0], [5, 0]] and p["in"]["y"].sum() == 5
    assert q.tolist() == [(0, 4), (0, 4)]


def test_tuples_by_position_and_named_tuples_made_in_kernels():
    @cuda.jit
    def kernel(same, mixed, point, i, out):
        moved = Point(point.x + 1, point.y)
        out[0], out[1], out[2], out[3] = same[i], mixed[1], moved.x, moved[1]

    out = np.zeros(4)
    kernel[1, 1]((1, 2, 3), (1, 2.5), Point(5, 6.5), 2, out)
    assert out.tolist() == [3, 2.5, 6, 6.5]


@pytest.mark.parametrize(
    "expression",
    ["Colour.RED == Colour.RED", "Colour.RED == Colour.BLUE", "Colour.RED != Colour.BLUE", "Colour.BLUE.value",
     'Colour["BLUE"].value', "Level.HIGH + 1", "Level.HIGH > Level.LOW", "int(Level.HIGH)"],
)  # fmt: skip
def test_members_of_enumerations(expression):
    assert value_of(expression) == eval(expression)


@pytest.mark.parametrize(
    "expression",
    ["a.shape[1]", "a.strides[0]", "a.ndim", "a.size", "a.nbytes", "a.itemsize", "a.T[1, 0]", "a.dtype.itemsize",
     "a.T.shape[0]", "b.real[0]", "b.imag[0]", "a.imag[0, 1]", "a.flat[4]", "a.T.flat[1]", "a.ctypes.data % 8"],
)  # fmt: skip
def test_attributes_of_arrays(expression):
    a, b = np.arange(6.0).reshape(2, 3), np.array([1 + 2j])
    assert value_of(expression, a, b) == eval(expression)


@pytest.mark.parametrize(
    "expression",
    ["a.view(np.int64)[0, 1]", "a.reshape(3, 2)[2, 0]", "a.reshape((-1,))[4]", "a.ravel()[4]", "a.item(3)", "a.sum()",
     "a.prod()", "a.min()", "a.max()", "a.mean()", "a.var()", "a.take(3)", "a.transpose()[2, 1]", "a.any()", "a.all()",
     "a.sum(axis=0)[1]", "a.max(1)[0]", "a.transpose(1, 0)[2, 1]", "a.view(np.int32)[1, 5]", "a.T.ravel()[3]"],
)  # fmt: skip
def test_methods_of_arrays(expression):
    a = np.arange(6.0).reshape(2, 3) + 1
    assert value_of(expression, a) == pytest.approx(float(eval(expression)), rel=1e-15)


def test_enumerate_and_zip():
    @cuda.jit
    def kernel(a, b, out):
        for i, x in enumerate(a):
            out[0] += i * x
        for x, y in zip(a, b):
            out[1] += x * y
        for i, (x, y) in enumerate(zip(a, b), 1):
            out[2] += i * x * y

    a, b = np.array([1.0, 2, 3]), np.array([4.0, 5, 6, 7])
    out = np.zeros(3)
    kernel[1, 1](a, b, out)
    assert out.tolist() == [8, 32, 1 * 4 + 2 * 10 + 3 * 18]


@pytest.mark.parametrize(
    "expression",
    ["np.empty(3).size", "np.zeros((2, 2), np.int32)[1, 1]", "np.ones(3)[2]", "np.full(3, 7.5)[1]",
     "np.ones((2, 3)).sum()", "np.zeros(4, np.float32).itemsize", "np.zeros_like(np.ones((2, 3))).shape[1]",
     "np.full_like(np.ones(3), 5)[2]"],
)  # fmt: skip
def test_new_arrays_of_constant_shape(expression):
    assert value_of(expression) == eval(expression)


@pytest.mark.parametrize(
    "expression",
    ["abs(a)", "bool(a)", "complex(1, 2).imag", "float(7)", "int(a)", "len(b)", "min(1, a, 2)", "max(1, 2.5, a)",
     "pow(2, 5)", "round(2.5)", "round(3.5)", "round(a, 2)", "len(range(1, 9, 2))"],
)  # fmt: skip
def test_built_in_functions(expression):
    a, b = -2.567, np.zeros(5)
    assert value_of(expression, a, b) == eval(expression)


@pytest.mark.parametrize(
    "expression",
    ["any((0, 1))", "any(a)", "all(a)", "all((1, 0))", "any(a > 5)", "sum(a)", "sum((1, 2, 3))", "divmod(-7, 2)[0]",
     "divmod(-7, 2)[1]", "divmod(-7.5, 2)[1]"],
)  # fmt: skip
def test_any_all_sum_and_divmod(expression):
    a = np.array([1.0, 0.0, 5.0])
    assert value_of(expression, a) == eval(expression)


@pytest.mark.parametrize(
    "expression, help",
    [("hash(a[0])", "compute it outside"), ("sorted(a)[0]", "loops of its own"), ("math.fsum(a)", r"np\.sum\(\)"),
     ("sorted((3, 1))[0]", "loops of its own")],
)  # fmt: skip
def test_what_is_refused_says_what_to_do(expression, help):
    with pytest.raises(TypingError, match=rf"(?s)not supported in kernels.*{help}"):
        value_of(expression, np.zeros(3))


ONE = """sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh deg2rad radians rad2deg degrees log log2 log10
    logical_not""".split()
TWO = """arctan2 hypot greater greater_equal less less_equal not_equal equal logical_and logical_or logical_xor maximum
    minimum fmax fmin""".split()
BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split()


@pytest.mark.parametrize("name", [*ONE, "arccosh", *TWO, *BITS, "bitwise_not", "invert"])
def test_ufuncs_with_a_result_array(name):
    function = getattr(np, name)
    arrays = [np.array([0.5, 0.25, 0.75]), np.array([0.5, 0.3, 0.0])]
    if name in [*BITS, "bitwise_not", "invert"]:
        arrays = [np.array([1, 2, 3]), np.array([1, 3, 0])]
    elif name == "arccosh":
        arrays[0] += 1
    arrays = arrays[: function.nin]
    wanted = function(*arrays)
    out = np.zeros_like(wanted)
    scope = {"np": np}
    exec(
        f"def kernel({', '.join('ab'[: function.nin])}, out):\n    np.{name}({', '.join('ab'[: function.nin])}, out)",
        scope,
    )
    cuda.jit(scope["kernel"])[1, 1](*arrays, out)
    np.testing.assert_allclose(out, wanted, rtol=4e-16)


@pytest.mark.parametrize(
    "expression",
    ["np.dot(a[0], a[1])", "a[0] @ a[1]", "np.matmul(a, a.T)[0, 1]", "(a @ a.T)[1, 1]", "np.dot(2.0, a[0])[1]",
     "np.transpose(a)[2, 1]", "np.reshape(a, (3, 2))[2, 0]", "np.take(a, 3)", "np.take(a, 1, axis=1)[0]",
     "np.transpose(a, (1, 0))[2, 1]", "np.dtype(np.float32).itemsize",
     "a.dtype.kind == 'f'", "a.dtype.type(3)"],
)  # fmt: skip
def test_products_views_and_dtypes(expression):
    a = np.arange(6.0).reshape(2, 3)
    assert value_of(expression, a) == eval(expression)


@pytest.mark.parametrize("number", [0.1, 65519.0, 70000.0, 1e-8])
@pytest.mark.filterwarnings("ignore:overflow")
def test_float16_is_rounded(number):
    assert value_of("np.float16(a)", number) == np.float16(number)


def test_alignments_are_in_the_ptx():
    def kernel(x):
        near, own = cuda.shared.array(4, float32, alignment=64), cuda.local.array(4, float32, alignment=32)
        near[0], own[int(x[1])] = x[0], x[0]
        cuda.syncthreads()
        x[0] = near[1] + own[int(x[2])]

    text = cuda.compile_ptx(kernel, void(float32[:]))[0]
    assert re.search(r"\.shared\s+\.align 64", text) and re.search(r"\.local\s+\.align 32", text)


def test_a_lock_of_one_element():
    @cuda.jit
    def kernel(lock, won):
        i = cuda.grid(1)
        won[i] = cuda.atomic.compare_and_swap(lock, 0, i + 1)

    lock, won = np.zeros(1, np.int32), np.zeros(64, np.int32)
    kernel[2, 32](lock, won)
    assert (won == 0).sum() == 1 and lock[0] == 1 + np.flatnonzero(won == 0)[0]
    assert set(won.tolist()) == {0, lock[0]}


def test_fma_cbrt_and_selp():
    tiny = 2.0**-30
    exact = value_of("cuda.fma(a, a, b)", 1 + tiny, -1 - 2 * tiny)
    assert exact == tiny**2  # a * a alone rounds it away
    assert value_of("cuda.cbrt(a)", -27.0) == -3
    assert value_of("cuda.selp(a > 0, 7, 8)", 1) == 7 and value_of("cuda.selp(a > 0, 7, 8)", 0) == 8


def test_clocks_rise():
    @cuda.jit
    def kernel(out):
        out[0], out[2] = cuda.clock64(), cuda.globaltimer()
        cuda.nanosleep(1000)
        out[1], out[3] = cuda.clock64(), cuda.globaltimer()

    out = np.zeros(4, np.int64)
    kernel[1, 1](out)
    assert out[1] > out[0] and out[3] > out[2]


def test_narrow_floats_are_not_supported():
    assert cuda.is_bfloat16_supported() is False and cuda.is_fp8_supported() is False


def test_parts_of_device_arrays():
    array = cuda.to_device(np.arange(5))
    assert [part.copy_to_host().tolist() for part in array.split(2)] == [[0, 1], [2, 3], [4]]
    stream = cuda.stream()
    bound = array.bind(stream)
    assert bound.stream is stream and bound.copy_to_host().tolist() == [0, 1, 2, 3, 4]


def test_devices_are_listed(capsys):
    assert cuda.detect() is True
    text = capsys.readouterr().out
    assert re.match(r"Found \d+ device", text) and "Compute Capability" in text


def test_device_functions_raise():
    @cuda.jit(device=True)
    def checked(x):
        if x < 0:
            raise ValueError("negative", 3)
        return x

    @cuda.jit(debug=True)
    def kernel(x):
        x[cuda.grid(1)] = checked(x[cuda.grid(1)]) + 1

    with pytest.raises(ValueError, match=re.escape("tid=[1, 0, 0] ctaid=[0, 0, 0]: negative")) as caught:
        kernel[1, 2](np.array([1.0, -1.0]))
    assert caught.value.args[1] == 3
