# The exact rules of the numba dialect: typing of values, indexing, floating point.

import math

import numpy as np
import pytest
from treadle import cuda, float32, int32
from treadle.errors import NumbaValueError


@pytest.fixture
def rules():
    return "numba"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, "int64"), (2**63 - 1, "int64"), (2**63, "uint64"), (2**64 - 1, "uint64"), (1.5, "float64"), (True, "bool"),
        (1j, "complex128"), (np.int8(1), "int8"), (np.uint16(1), "uint16"), (np.float32(1), "float32"),
        (np.complex64(1), "complex64"), (np.bool_(True), "bool"),
    ],
)  # fmt: skip
def test_types_of_scalar_arguments(value, expected):
    @cuda.jit
    def kernel(x):
        pass

    kernel[1, 1](value)
    (signature,) = kernel.signatures
    assert (
        str(signature[0] if isinstance(signature, tuple) else signature.args[0]).replace("boolean", "bool") == expected
    )


def test_too_large_integers_are_refused():
    @cuda.jit
    def kernel(x):
        pass

    with pytest.raises((OverflowError, ValueError)):
        kernel[1, 1](2**64)


def test_bool_becomes_int64_in_arithmetic(result_type):
    assert result_type(lambda a, b: a + b, "(bool, bool)") == "int64"


def test_int64_with_uint64_is_int64(result_type):
    assert result_type(lambda a, b: a + b, "(int64, uint64)") == "int64"
    assert result_type(lambda a, b: a // b, "(int64, uint64)") == "int64"


def test_bits_are_not_promoted(result_type):
    assert result_type(lambda a, b: a & b, "(int32, int32)") == "int32"
    assert result_type(lambda a, b: a | b, "(int8, int16)") == "int16"
    assert result_type(lambda a: ~a, "(int16,)") == "int16"


def test_shifts_have_the_left_operands_signedness_and_64_bits(result_type):
    assert result_type(lambda a, b: a << b, "(int32, uint64)") == "int64"
    assert result_type(lambda a, b: a >> b, "(uint8, int32)") == "uint64"


def test_integer_division_gives_float64(result_type):
    assert result_type(lambda a, b: a / b, "(int32, int32)") == "float64"


def test_float32_with_a_float_literal_is_float64(result_type):
    assert result_type(lambda a: a * 2.0, "(float32,)") == "float64"
    assert result_type(lambda a, b: a * b, "(float32, int64)") == "float64"


def test_powers(result_type, evaluate):
    assert result_type(lambda a: a**2, "(float32,)") == "float32"
    assert result_type(lambda a, b: a**b, "(int32, int32)") == "int64"
    assert evaluate(lambda a: a**3, -3, dtype=np.int64) == -27
    assert evaluate(lambda a: a**-2, 4.0) == 0.0625
    assert evaluate(lambda a, b: a**b, 2.0, 0.5) == pytest.approx(math.sqrt(2), rel=1e-15)


def test_variables_unify_where_paths_meet(result_type):
    def f(c, a, b):
        if c:
            x = a
        else:
            x = b
        return x

    assert result_type(f, "(bool, int64, float32)") == "float64"
    assert result_type(f, "(bool, int32, int64)") == "int64"
    assert result_type(f, "(bool, float32, float64)") == "float64"
    assert result_type(f, "(bool, bool, int8)") == "int8"


def test_the_loop_variable_has_the_type_of_the_bounds(result_type):
    def f(n):
        last = n
        for i in range(n):
            last = i
        return last

    def g(a, b):
        for i in range(a, b):
            return i
        return a

    assert result_type(f, "(int32,)") == "int32"
    assert result_type(f, "(int64,)") == "int64"
    assert result_type(f, "(uint64,)") == "uint64"
    assert result_type(g, "(int32, int64)") == "int64"


def test_math_of_integers_is_float64(result_type):
    assert result_type(lambda n: math.sqrt(n) * 2, "(int32,)") == "float64"
    assert result_type(lambda n, x: math.atan2(n, x), "(int32, float32)") == "float64"


def test_rounding_gives_int64(result_type, evaluate):
    for function in (math.ceil, math.floor, math.trunc):
        assert result_type(lambda x: function(x), "(float32,)") == "int64"
    assert result_type(lambda x: round(x), "(float64,)") == "int64"
    assert [evaluate(lambda x: round(x), v) for v in (0.5, 1.5, 2.5, -0.5, -1.5)] == [0, 2, 2, 0, -2]
    assert evaluate(lambda x: round(x, 1), 2.25) == 2.2
    # 0.3425 as a float32 is a little more than that: no tie.
    assert result_type(lambda x: round(x, 3), "(float32,)") == "float32"
    assert np.float32(evaluate(lambda x: round(x, 3), np.float32(0.3425))) == np.float32(0.343)


def test_returns_unify(result_type):
    def f(x):
        if x > 0:
            return x
        return 0.5

    assert result_type(f, "(int32,)") == "float64"


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_negative_indices_count_from_the_end(dtype):
    @cuda.jit
    def kernel(a, i, out):
        out[0] = a[i]

    out = np.zeros(1)
    kernel[1, 1](np.arange(10.0), dtype(-3), out)
    assert out[0] == 7


def test_unsigned_indices_are_never_negative():
    @cuda.jit
    def kernel(a, i, out):
        out[0] = a[i]

    out = np.zeros(1)
    kernel[1, 1](np.arange(300.0), np.uint8(255), out)
    assert out[0] == 255


def test_min_and_max_prefer_the_number_to_nan(evaluate):
    nan = math.nan
    assert evaluate(lambda a, b: max(a, b), nan, 1.0) == 1
    assert evaluate(lambda a, b: min(a, b), 1.0, nan) == 1
    assert math.isnan(evaluate(lambda a, b: min(a, b), nan, nan))
    assert evaluate(lambda a, b, c: max(a, b, c), 1, 7, 3, dtype=np.int64) == 7


def test_remainder_of_floats_is_exact(evaluate):
    assert evaluate(lambda a, b: a % b, 1e300, 3.0) == 1e300 % 3.0
    assert evaluate(lambda a, b: a % b, -5.0, math.inf) == math.inf
    assert evaluate(lambda a, b: math.fmod(a, b), 1e300, 7.0) == math.fmod(1e300, 7.0)


def test_hypot_does_not_overflow(evaluate):
    assert evaluate(lambda a, b: math.hypot(a, b), 3e200, 4e200) == pytest.approx(5e200, rel=1e-15)


def test_unsigned_conversions_are_exact(evaluate):
    assert evaluate(lambda a: a * 1.0, np.uint64(2**63 + 2**40)) == 2.0**63 + 2.0**40
    assert evaluate(lambda a: a, 1.5 * 2**63, dtype=np.uint64) == 3 * 2**62


def test_denormals_are_kept(evaluate):
    assert evaluate(lambda a: a * 0.5, 2.0**-1073) == 2.0**-1074
    tiny = np.float32(2.0**-148)
    assert evaluate(lambda a: a * float32(0.5), tiny, dtype=np.float32) == 2.0**-149


def test_dead_branches_are_not_typed():
    @cuda.jit
    def kernel(a, out):
        if a.ndim == 1:
            out[0] = a[0]
        else:
            out[0] = a[0, 0]

    out = np.zeros(1)
    kernel[1, 1](np.full(2, 3.0), out)
    assert out[0] == 3
    kernel[1, 1](np.full((2, 2), 4.0), out)
    assert out[0] == 4


def test_type_calls_and_numpy_types_convert(evaluate, result_type):
    assert result_type(lambda x: np.float32(x), "(float64,)") == "float32"
    assert result_type(lambda x: np.int8(x), "(int64,)") == "int8"
    assert evaluate(lambda x: int32(x), 2.0**33 + 5, dtype=np.int64) == 2**31 - 1
    assert evaluate(lambda x: np.int8(x), 300, dtype=np.int64) == 44
    assert evaluate(lambda x: bool(x), 0.0, dtype=bool) is False
    assert evaluate(lambda x: int(x), -2.75, dtype=np.int64) == -2
    assert evaluate(lambda x: float(x), 3) == 3
    assert evaluate(lambda x, y: complex(x, y), 1.0, 2.0, dtype=complex) == 1 + 2j


@pytest.mark.parametrize(
    "name",
    "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le gt ge "
    "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split(),
)
def test_operator_functions_of_two(name, evaluate):
    import operator

    function = getattr(operator, name)
    assert evaluate(lambda a, b: function(a, b), 23, 3) == function(23, 3)


@pytest.mark.parametrize("name", ["neg", "pos", "invert", "not_"])
def test_operator_functions_of_one(name, evaluate):
    import operator

    function = getattr(operator, name)
    assert evaluate(lambda a: function(a), 23) == function(23)


def test_signature_choice_exact_then_promotion(monkeypatch):
    @cuda.jit(["void(int64[:], float64)", "void(int64[:], int64)"])
    def kernel(out, x):
        out[0] = x * 3 // 2

    out = np.zeros(1, np.int64)
    kernel[1, 1](out, np.int32(5))
    assert out[0] == 7
    kernel[1, 1](out, np.float32(5))
    assert out[0] == 7


BEYOND = [
    "1.0 / 2**128", "x * 2**130", "10**39 * 1.0", "3**100 % 1000", "2**200 >> 190", "-(2**127 - 1) - 1 == 0",
    "~(2**200)", "2**64", "-(2**63) - 1", "(2**200) ** -1", "2**200 - 2**200", "3 / 10**40", "-(10**60) < 0",
]  # fmt: skip


@pytest.mark.parametrize("expression", BEYOND)
def test_integers_beyond_64_bits_are_refused_where_they_are_used(rules, expression):
    namespace = {}
    exec(f"def kernel(out, x):\n    out[0] = {expression}\n", namespace)
    with pytest.raises(NumbaValueError, match="does not fit 64 bits"):
        cuda.jit(namespace["kernel"], rules=rules)[1, 1](np.zeros(1), 1.0)


@pytest.mark.parametrize(
    "expression", ["0 << 200", "2**100 >> 90", "1**300 + (-1) ** 301", "2**126 - 1 - (2**126 - 2)"]
)
def test_integers_beyond_64_bits_on_the_way(evaluate, expression):
    assert evaluate(eval(f"lambda x: x + ({expression})"), 1.0) == 1.0 + eval(expression)


def optional(values, i):
    number = pair = None
    if i > 5:
        number, pair = values[0], (0, 0)
    return (
        (number == 0)
        + 2 * (number != 0)
        + 4 * (pair == (0, 0))
        + 8 * (pair != (0, 0))
        + 32 * (number in (0, 1))
        + 64 * ((number, 1) == (0, 1))
        + 128 * (0 == number)
        + 256 * (number == values[0])
    )


def test_none_is_equal_to_nothing_else(rules):
    function = cuda.jit(optional, device=True, rules=rules)

    @cuda.jit(rules=rules)
    def kernel(out, values):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(values, i)

    out = np.zeros(12, np.int64)
    for dtype in (np.int32, np.float64):
        for value in (0, 1):
            values = np.array([value], dtype)
            kernel[1, 32](out, values)
            assert out.tolist() == [optional(values.tolist(), i) for i in range(12)]


def test_what_print_gives_is_none(rules, capfd):
    @cuda.jit(rules=rules)
    def kernel(out):
        if (nothing := print(5)) is None:
            out[0] = nothing is None

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 1
