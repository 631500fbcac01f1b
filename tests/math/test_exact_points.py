# Math: what floats represent comes out exactly: whole powers, roots of squares, logarithms of powers, factorials.

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import points
import routines
from exact_points import EXACT, exact_points, inexact
from test_accuracy import BOUNDS, KINDS, ROUTINES
from test_math_kernels import compute, expression_of  # noqa: F401 - a fixture


def test_every_function_has_such_points():
    assert set(EXACT) == set(points.FUNCTIONS) == set(BOUNDS)
    assert all(exact_points(function, kind)[1].size for function in EXACT for kind in KINDS)
    assert exact_points("pow", "f64")[1].size > 10_000


@pytest.mark.parametrize("level", routines.LEVELS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ROUTINES)
def test_vector_routines(function, kind, level):
    if level not in routines.levels():
        pytest.skip(f"this machine has no {level}")
    operands, results = exact_points(function, kind)
    found = routines.call(routines.routine(function, kind, level)[0], level, *operands)
    assert not inexact(operands, found, results)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ROUTINES)
def test_device_functions(function, kind):
    operands, results = exact_points(function, kind)
    assert not inexact(operands, routines.call_device(function, kind, *operands), results)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", [name for name in BOUNDS if name != "trunc"])
def test_functions_in_kernels(compute, function, kind):  # noqa: F811
    operands, results = exact_points(function, kind)
    options = 'rules="cuda-python"' if function in ("ceil", "floor") else ""
    found = compute(expression_of(function), operands, np.empty_like(operands[0]), options)
    assert not inexact(operands, found, results)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", ["numba", "cuda-python"])
@pytest.mark.parametrize("exponent", ["2.0", "1.0", "0.5", "-1.0"])
def test_constant_exponents_are_rounded_once(compute, exponent, rules, kind):  # noqa: F811
    x = np.concatenate([points.edges(kind), points._Stream("powers", kind).bits(2000)])
    with np.errstate(all="ignore"):
        expected = {"2.0": x * x, "1.0": x, "0.5": np.sqrt(x) + 0, "-1.0": 1 / x}[exponent].astype(x.dtype)
    if exponent == "0.5":
        expected[x == -np.inf] = np.inf
    options = f"rules={rules!r}"
    for text in (f"x[i] ** {exponent}", f"math.pow(x[i], {exponent})"):
        found = compute(text, [x], np.empty_like(x), options)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(expected[expected == 0]))


PROGRAM = """
import math
from treadle import cuda

for function, types in ((math.pow, 2), (math.hypot, 2), (math.log2, 1), (math.log10, 1), (math.gamma, 1)):
    for real in ("float32", "float64"):
        if (function, real) in ((math.hypot, "float32"), (math.log2, "float32"), (math.log10, "float64")):
            continue
        device = (lambda x, y: function(x, y)) if types == 2 else (lambda x: function(x))
        print(cuda.compile_ptx(device, f"({', '.join([real] * types)})", device=True, cc=(9, 0))[0])
"""


def test_functions_that_are_ours_beside_libdevice(run_python):
    """libdevice's are off by one bit at some of these points."""
    own = routines.LIBRARY.parents[1] / "generated/device_math.bc"
    if not own.exists():
        pytest.skip(f"{own.name} is not built: ./dev build")
    assert run_python(PROGRAM) == run_python(PROGRAM, TREADLE_LIBDEVICE=str(own))
