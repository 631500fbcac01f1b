# "Math": every function of the specification, in both widths, and the conversion of integers.

import math

import numpy as np
import pytest
from treadle import cuda

UNARY = {
    "acos": (-0.9, 0.5), "asin": (-0.9, 0.5), "atan": (-3.0, 40.0), "acosh": (1.0, 5.0), "asinh": (-3.0, 4.0),
    "atanh": (-0.7, 0.5), "cos": (-3.0, 9.0), "sin": (-3.0, 9.0), "tan": (-1.0, 1.25), "cosh": (-2.0, 3.0),
    "sinh": (-2.0, 3.0), "tanh": (-2.0, 0.3), "exp": (-5.0, 6.0), "expm1": (-0.01, 2.0), "fabs": (-2.5, 3.0),
    "log": (0.1, 30.0), "log10": (0.1, 30.0), "log1p": (-0.5, 0.01), "sqrt": (0.0, 2.0), "ceil": (-1.5, 2.25),
    "floor": (-1.5, 2.25), "log2": (0.1, 30.0),
}  # fmt: skip
BINARY = {
    "atan2": (-1.5, 2.0), "pow": (1.5, 2.5), "copysign": (3.0, -0.0), "fmod": (-7.5, 2.0), "hypot": (3.0, 4.0),
}  # fmt: skip
PREDICATES = {"isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite}


def function(name, count=1):
    names = "xy"[:count]
    namespace = {"math": math}
    exec(f"def f({', '.join(names)}):\n    return math.{name}({', '.join(names)})\n", namespace)
    return namespace["f"]


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions(name, evaluate):
    for x in UNARY[name]:
        exact = getattr(math, name)(x)
        assert evaluate(function(name), x) == pytest.approx(exact, rel=1e-15, abs=1e-300)
        x32 = np.float32(x)
        exact = getattr(math, name)(float(x32))
        assert evaluate(function(name), x32) == pytest.approx(exact, rel=1e-6, abs=1e-30)


@pytest.mark.parametrize("name", BINARY)
def test_binary_functions(name, evaluate):
    x, y = BINARY[name]
    exact = getattr(math, name)(x, y)
    assert evaluate(function(name, 2), x, y) == pytest.approx(exact, rel=1e-15)
    assert evaluate(function(name, 2), np.float32(x), np.float32(y)) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("name", PREDICATES)
def test_classifications_give_bools(name, evaluate, result_type):
    for x in (0.0, -1.5, math.nan, math.inf, -math.inf):
        assert evaluate(function(name), x, dtype=bool) is PREDICATES[name](x)
        assert evaluate(function(name), np.float32(x), dtype=bool) is PREDICATES[name](x)
    assert result_type(function(name), "(float32,)") == "bool"


def test_arctan_is_atan(evaluate):
    assert evaluate(function("arctan"), 1.0) == math.atan(1)


def test_a_float32_argument_gives_the_float32_function(result_type):
    rounding = {"ceil", "floor"}
    for name in UNARY:
        if name not in rounding:
            assert result_type(function(name), "(float32,)") == "float32", name
            assert result_type(function(name), "(float64,)") == "float64", name
    for name in BINARY:
        assert result_type(function(name, 2), "(float32, float32)") == "float32", name
        assert result_type(function(name, 2), "(float32, float64)") == "float64", name


def test_an_integer_argument_becomes_the_float_of_division(result_type):
    for ty, narrow in (("int32", "float32"), ("int8", "float32"), ("int64", "float64"), ("uint64", "float64")):
        assert result_type(function("sin"), f"({ty},)", rules="cuda-python") == narrow
        assert result_type(function("sin"), f"({ty},)", rules="numba") == "float64"


def test_ceil_and_floor_give_a_float_under_cuda_python_and_int64_under_numba(result_type, evaluate):
    for name in ("ceil", "floor"):
        assert result_type(function(name), "(float32,)", rules="cuda-python") == "float32"
        assert result_type(function(name), "(float64,)", rules="cuda-python") == "float64"
        assert result_type(function(name), "(float32,)", rules="numba") == "int64"
        assert evaluate(function(name), -2.5) == getattr(math, name)(-2.5)


@pytest.mark.parametrize("name", ["pi", "e", "tau", "inf", "nan"])
def test_constants(name, evaluate):
    namespace = {"math": math}
    exec(f"def f():\n    return math.{name}\n", namespace)
    found, expected = evaluate(namespace["f"]), getattr(math, name)
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_math_imported_by_name_and_by_star(rules):
    from math import sqrt as root

    @cuda.jit(rules=rules)
    def kernel(out):
        out[0] = root(out[0])

    out = np.full(1, 16.0)
    kernel[1, 1](out)
    assert out[0] == 4
