# "Type Inference": which type a variable has at which point.

import warnings

import numpy as np
import pytest
import treadle
from treadle import cuda, float32, int8, int16, int32, int64
from treadle.errors import TypingError


def test_integers_and_floats_are_coerced_implicitly(rules):
    @cuda.jit(rules=rules)
    def kernel(i, f, ints, floats):
        ints[0] = f
        floats[0] = i
        floats[1] = i + f

    ints, floats = np.zeros(1, np.int32), np.zeros(2, np.float32)
    kernel[1, 1](3, 2.75, ints, floats)
    assert ints[0] == 2
    assert floats.tolist() == [3, 5.75]


def test_complex_is_not_coerced_to_a_real_number(rules):
    @cuda.jit(rules=rules)
    def kernel(z, out):
        out[0] = z

    with pytest.raises(TypingError, match="complex128"):
        kernel[1, 1](1j, np.zeros(1))


def test_a_variable_has_the_type_of_its_definition(result_type):
    def f(a):
        x = a
        return x

    for ty in ("int8", "uint16", "int32", "float32", "float64", "complex64", "bool"):
        assert result_type(f, f"({ty},)") == ty


def test_a_redefinition_gives_a_new_type(result_type):
    def f(a, b):
        x = a
        y = x
        x = b
        return y, x

    assert result_type(f, "(int32, float32)") == "Tuple(int32, float32)"


def test_inside_a_loop_the_type_from_before_the_loop_holds(result_type):
    def f(n):
        x = int32(0)
        for i in range(n):
            x = x + 0.5
        return x

    assert result_type(f, "(int32,)", rules="cuda-python") == "int32"
    assert result_type(f, "(int32,)", rules="numba") == "float64"


def test_the_new_value_is_coerced_to_it(evaluate):
    def f(n):
        x = 0
        for i in range(n):
            x += 0.75
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert evaluate(f, 4, rules="cuda-python") == 0
    assert evaluate(f, 4, rules="numba") == 3


def test_a_coercion_that_loses_information_warns_once_with_place_and_remedy():
    @cuda.jit(rules="cuda-python")
    def kernel(x, out):
        tmp = 0
        for i in range(x.size):
            tmp += x[i]
        out[0] = tmp

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel[1, 1](np.full(3, 0.9), np.zeros(1))
        kernel[1, 1](np.full(3, 0.9), np.zeros(1))
    ours = [w for w in caught if issubclass(w.category, treadle.TreadleWarning)]
    assert len(ours) == 1
    line = kernel.py_func.__code__.co_firstlineno + 4
    text = str(ours[0].message)
    assert f"test_type_inference.py:{line}" in text
    assert "tmp" in text
    assert "0.0" in text
    assert issubclass(treadle.TreadleWarning, UserWarning)


def test_no_warning_where_nothing_is_lost():
    @cuda.jit(rules="cuda-python")
    def kernel(x, out):
        tmp = 0.0
        for i in range(x.size):
            tmp += x[i]
        out[0] = tmp

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel[1, 1](np.full(3, 0.5, np.float32), np.zeros(1))


def test_a_nested_loop_keeps_the_outer_type(result_type):
    def f(n):
        x = int16(1)
        for i in range(n):
            for j in range(i):
                x = x * 2 + j
        return x

    assert result_type(f, "(int32,)", rules="cuda-python") == "int16"


def test_a_while_loop_keeps_the_type_as_well(result_type):
    def f(n):
        x = float32(1)
        while x < n:
            x = x * 2.5
        return x

    assert result_type(f, "(float64,)", rules="cuda-python") == "float32"


def test_a_variable_first_assigned_inside_a_loop_keeps_that_type(result_type):
    def f(n):
        last = 0
        for i in range(n):
            y = int32(i)
            y = y / 3
            last = y
        return last

    def g(n):
        r = int8(0)
        for i in range(n):
            y = r
            y = 1000
            r = y
        return r

    assert result_type(f, "(int64,)", rules="cuda-python") == "int64"
    assert result_type(g, "(int64,)", rules="cuda-python") == "int8"


def test_after_the_loop_a_variable_may_change_its_type_again(result_type):
    def f(n):
        x = int32(0)
        for i in range(n):
            x = x + 1
        x = x / 2.0
        return x

    assert result_type(f, "(int32,)") == "float64"


@pytest.mark.parametrize("ty", ["int16", "float32", "int8", "uint64", "float64"])
def test_calling_a_type_object_forces_the_type(result_type, ty):
    convert = getattr(treadle, ty)
    assert result_type(lambda: convert(123), "()") == ty
    assert result_type(lambda x: convert(x), "(float64,)") == ty


def test_a_literal_alone_is_intp_or_float64(result_type):
    assert result_type(lambda: 1, "()") == "int64"
    assert result_type(lambda: 1.5, "()") == "float64"
    assert result_type(lambda: 2 + 3, "()") == "int64"


@pytest.mark.parametrize(
    ("signature", "function", "expected"),
    [
        ("(int8,)", lambda x: x + 1, "int8"),
        ("(int8,)", lambda x: x + 127, "int8"),
        ("(int8,)", lambda x: x + 128, "int64"),
        ("(uint8,)", lambda x: 255 - x, "uint8"),
        ("(uint8,)", lambda x: x - 1, "uint8"),
        ("(uint8,)", lambda x: x + (-1), "int64"),
        ("(int32,)", lambda x: 2 * x, "int32"),
        ("(int32,)", lambda x: x * 0.5, "float64"),
        ("(float32,)", lambda x: x * 2, "float32"),
        ("(float32,)", lambda x: x * 0.1, "float32"),
        ("(float32,)", lambda x: x + 1e300, "float64"),
        ("(float64,)", lambda x: x + 1, "float64"),
        ("(complex64,)", lambda x: x * 0.1, "complex64"),
        ("(bool,)", lambda x: x + 1, "int64"),
        ("(bool,)", lambda x: x * 0.5, "float64"),
        ("(int32,)", lambda x: x / 2, "float32"),
        ("(int32,)", lambda x: x // 2, "int32"),
    ],
)
def test_beside_a_typed_operand_a_literal_adopts_its_type_where_it_fits(result_type, signature, function, expected):
    assert result_type(function, signature, rules="cuda-python") == expected


CAPTURED = 3
CAPTURED_NUMPY = np.int64(3)


def test_a_captured_python_number_counts_as_a_literal(result_type):
    assert result_type(lambda x: x + CAPTURED, "(int16,)", rules="cuda-python") == "int16"


def test_a_captured_numpy_scalar_has_its_own_type(result_type):
    assert result_type(lambda x: x + CAPTURED_NUMPY, "(int16,)", rules="cuda-python") == "int64"


def test_numba_rules_have_no_weak_literals(result_type):
    assert result_type(lambda x: x + 1, "(int32,)", rules="numba") == "int64"
    assert result_type(lambda x: x * 2.0, "(float32,)", rules="numba") == "float64"


def test_int64_stands_for_a_number_of_that_type(result_type):
    assert result_type(lambda x: int64(x), "(float32,)") == "int64"
