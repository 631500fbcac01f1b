# "Basic Arithmetic Operations", sentence by sentence; test_operators.py covers all types.

import cmath

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import TypingError


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("int32", "int32", "int32"),
        ("int64", "float32", "float32"),
        ("int8", "uint8", "uint8"),
        ("int8", "int16", "int16"),
        ("uint32", "int64", "int64"),
        ("int64", "uint64", "uint64"),
        ("bool", "int8", "int8"),
        ("bool", "bool", "bool"),
        ("float32", "float64", "float64"),
        ("float64", "complex64", "complex128"),
        ("float32", "complex64", "complex64"),
    ],
)
def test_sums_have_the_more_generic_type(result_type, left, right, expected):
    for function in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b):
        assert result_type(function, f"({left}, {right})", rules="cuda-python") == expected
        assert result_type(function, f"({right}, {left})", rules="cuda-python") == expected


def test_integers_wrap_around(evaluate):
    assert evaluate(lambda a: a + a, np.int8(100), dtype=np.int64, rules="cuda-python") == -56
    assert evaluate(lambda a: a + a, np.int8(100), dtype=np.int64, rules="numba") == 200
    assert evaluate(lambda a: a + 1, 2**63 - 1, dtype=np.int64) == -(2**63)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("int8", "int8", "int32"),
        ("uint8", "uint8", "uint32"),
        ("int32", "int32", "int32"),
        ("int64", "int32", "int64"),
        ("float64", "float64", "int64"),
        ("float32", "float32", "int32"),
        ("float32", "int64", "int32"),
    ],
)
def test_floor_division_gives_an_integer_of_the_same_width_at_least_32_bits(result_type, left, right, expected):
    assert result_type(lambda a, b: a // b, f"({left}, {right})", rules="cuda-python") == expected


def test_floor_division_rounds_down(evaluate):
    for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3)):
        assert evaluate(lambda x, y: x // y, a, b, dtype=np.int64) == a // b
        assert evaluate(lambda x, y: x // y, float(a), float(b)) == a // b


def test_the_smallest_integer_by_minus_one_wraps(evaluate):
    """Operands for which the machine's division would trap."""
    smallest = -(2**63)
    assert evaluate(lambda a, b: a // b, smallest, -1, dtype=np.int64) == smallest
    assert evaluate(lambda a, b: a % b, smallest, -1, dtype=np.int64) == 0
    narrow, minus_one = np.int32(-(2**31)), np.int32(-1)
    assert evaluate(lambda a, b: a // b, narrow, minus_one, dtype=np.int64, rules="cuda-python") == narrow


def test_remainder_has_the_divisors_sign(evaluate):
    for a, b in ((7, 3), (-7, 3), (7, -3), (-7, -3)):
        assert evaluate(lambda x, y: x % y, a, b, dtype=np.int64) == a % b
        assert evaluate(lambda x, y: x % y, a + 0.5, b + 0.25) == (a + 0.5) % (b + 0.25)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("int32", "int32", "float32"),
        ("int64", "float32", "float64"),
        ("int8", "int8", "float32"),
        ("int64", "int64", "float64"),
        ("float32", "float32", "float32"),
    ],
)
def test_division_gives_a_float_as_wide_as_the_wider_operand(result_type, left, right, expected):
    assert result_type(lambda a, b: a / b, f"({left}, {right})", rules="cuda-python") == expected
    both_float = left == right == "float32"
    assert result_type(lambda a, b: a / b, f"({left}, {right})", rules="numba") == (
        expected if both_float else "float64"
    )


@pytest.mark.parametrize("op", ["&", "|", "^", ">>", "<<"])
def test_bits_want_integers_and_give_the_more_generic_type(result_type, op):
    function = eval(f"lambda a, b: a {op} b")
    assert result_type(function, "(int16, int32)", rules="cuda-python") == "int32"
    assert result_type(function, "(uint8, int8)", rules="cuda-python") == "uint8"
    for signature in ("(float32, int32)", "(int32, float64)", "(complex64, int8)"):
        with pytest.raises(TypingError):
            result_type(function, signature)


def test_complex_sums_and_products(evaluate):
    a, b = 1.5 - 2j, -0.25 + 4j
    assert evaluate(lambda x, y: x + y, a, b, dtype=complex) == a + b
    assert evaluate(lambda x, y: x - y, a, b, dtype=complex) == a - b
    assert evaluate(lambda x, y: x * y, a, b, dtype=complex) == a * b


def test_the_rest_of_complex_arithmetic_comes_from_the_full_language(evaluate):
    a, b = 1.5 - 2j, -0.25 + 4j
    assert cmath.isclose(evaluate(lambda x, y: x / y, a, b, dtype=complex), a / b, rel_tol=1e-15)
    assert evaluate(lambda x: -x, a, dtype=complex) == -a
    assert evaluate(lambda x: abs(x), a) == abs(a)
    assert evaluate(lambda x, y: x == y, a, a, dtype=bool) is True


def test_zeros_of_complex_quotients_have_pythons_signs(each):
    parts = [0.0, -0.0, 1.0, -1.0, 2.0]
    numbers = [complex(real, imag) for real in parts for imag in parts]
    x, y = np.array([(x, y) for x in numbers for y in numbers if y]).T.copy()
    found = each("x / y", [x, y], complex)
    wanted = np.array([a / b for a, b in zip(x.tolist(), y.tolist(), strict=True)])
    for part in ("real", "imag"):
        assert np.array_equal(getattr(found, part), getattr(wanted, part))
        assert np.array_equal(np.signbit(getattr(found, part)), np.signbit(getattr(wanted, part)))


def test_comparisons_of_integers_are_exact_whatever_their_signs(evaluate):
    less = lambda a, b: a < b  # noqa: E731
    assert evaluate(less, np.int64(-1), np.uint64(2**64 - 1), dtype=bool) is True
    assert evaluate(less, np.uint8(200), np.int8(-56), dtype=bool) is False
    assert evaluate(lambda a, b: a == b, np.int32(-1), np.uint32(2**32 - 1), dtype=bool) is False


def test_comparisons_with_nan(evaluate):
    nan = float("nan")
    assert evaluate(lambda a: a != a, nan, dtype=bool) is True
    assert evaluate(lambda a: a == a, nan, dtype=bool) is False
    assert evaluate(lambda a: a < 1.0 or a >= 1.0, nan, dtype=bool) is False


def test_unary_operators_and_abs_keep_the_type_under_cuda_python(result_type):
    for ty in ("int8", "uint16", "float32", "complex64"):
        assert result_type(lambda a: -a, f"({ty},)", rules="cuda-python") == ty
    assert result_type(lambda a: abs(a), "(int8,)", rules="cuda-python") == "int8"
    assert result_type(lambda a: ~a, "(uint16,)") == "uint16"


def test_two_bools_give_a_bool_computed_as_integers(evaluate, result_type):
    for function, expected in ((lambda a, b: a + b, True), (lambda a, b: a - b, False), (lambda a, b: a * b, True)):
        assert result_type(function, "(bool, bool)", rules="cuda-python") == "bool"
        assert evaluate(function, True, True, dtype=bool, rules="cuda-python") is expected
    assert evaluate(lambda a, b: a + b, True, True, dtype=np.int64, rules="numba") == 2


def test_min_max_and_power_follow_the_sum(result_type):
    assert result_type(lambda a, b: min(a, b), "(int16, float32)", rules="cuda-python") == "float32"
    assert result_type(lambda a, b: max(a, b), "(int8, uint8)", rules="cuda-python") == "uint8"
    assert result_type(lambda a, b: a**b, "(int16, int32)", rules="cuda-python") == "int32"
    assert result_type(lambda a: a**2, "(float32,)") == "float32"


def test_intp_is_as_wide_as_an_address(result_type):
    assert str(cuda.intp if hasattr(cuda, "intp") else "int64") == "int64"
    assert result_type(lambda a: a.size, "(float32[::1],)") == "int64"
