# Math in kernels: the results of `math.f(x[i])` on the device are within CUDA's bounds at all stored points.

import importlib.util
import math
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import points
import references
from test_accuracy import BOUNDS, assert_within, bound_of
from treadle import cuda

KERNEL = """import math
from treadle import cuda

@cuda.jit({options})
def kernel({parameters}, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = {expression}
"""


@pytest.fixture
def compute(tmp_path):
    """compute(expression, operands, out, options) -> out, filled by a kernel; operands are x and y."""

    def run(expression, operands, out, options=""):
        parameters = ["x", "y"][: len(operands)]
        file = tmp_path / "math_kernel.py"
        file.write_text(KERNEL.format(options=options, parameters=", ".join(parameters), expression=expression))
        spec = importlib.util.spec_from_file_location("math_kernel", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        # Blocks whose size is not a multiple of a warp: the last warp of each has inactive lanes.
        module.kernel[len(out) // 250 + 1, 250](*operands, out)
        cuda.synchronize()
        return out

    return run


def expression_of(function):
    name = {"cbrt": "cuda.cbrt", "tgamma": "math.gamma"}.get(function, f"math.{function}")
    return f"{name}(x[i], y[i])" if function in points.TWO_OPERANDS else f"{name}(x[i])"


@pytest.mark.parametrize("kind", points.FLOATS)
@pytest.mark.parametrize("function", [name for name in BOUNDS if name != "trunc"])
def test_function_within_cudas_bound(compute, function, kind):
    operands = points.points(function, kind)
    # Under Numba's rules ceil and floor return integers.
    options = 'rules="cuda-python"' if function in ("ceil", "floor") else ""
    results = compute(expression_of(function), operands, np.empty_like(operands[0]), options)
    assert_within(bound_of(function, kind), function, kind, results)


@pytest.mark.parametrize("kind", points.FLOATS)
@pytest.mark.parametrize("function", ["exp", "log", "sin", "cos", "tanh", "erf"])
def test_fastmath_is_close(compute, function, kind):
    (operand,) = points.points(function, kind)
    expected = references.references(function, kind)
    results = compute(expression_of(function), [operand], np.empty_like(operand), "fastmath=True")
    usual = (np.abs(operand) > 1e-3) & (np.abs(operand) < 30) & np.isfinite(expected) & (np.abs(expected) > 1e-3)
    assert np.count_nonzero(usual) > 1000
    assert np.allclose(results[usual], expected[usual], rtol=1e-3, atol=0)


@pytest.mark.parametrize("kind", points.FLOATS)
@pytest.mark.parametrize("function", ["isnan", "isinf", "isfinite"])
def test_classification(compute, function, kind):
    operand = np.concatenate([points.edges(kind), points._Stream("classes", kind).bits(2000)])
    results = compute(expression_of(function), [operand], np.zeros(len(operand), np.bool_))
    assert np.array_equal(results, getattr(np, function)(operand))


@pytest.mark.parametrize("kind", points.FLOATS)
@pytest.mark.parametrize("function", ["lgamma", "tgamma"])
def test_gamma_functions_at_the_ends_of_their_ranges(compute, function, kind):
    """Where results almost overflow or are almost subnormal; exact results by mpmath."""
    stream = points._Stream(f"ends {function}", kind)
    if function == "lgamma":
        operand = stream.uniform(*((3.9e36, 4.085e36) if kind == "f32" else (2.5e305, 2.5563e305)), 1500)
    else:
        low, high = (-42, -30) if kind == "f32" else (-184, -160)
        operand = np.concatenate([stream.uniform(low, high, 1000), stream.near(range(low, high), 500)])
    exact = {"lgamma": mpmath.loggamma, "tgamma": mpmath.gamma}[function]
    with mpmath.workprec(120):
        whole = operand == np.floor(operand)
        poles = whole & (operand < 0)
        expected = [math.nan if pole else float(exact(x)) for x, pole in zip(operand.tolist(), poles, strict=True)]
    results = compute(expression_of(function), [operand], np.empty_like(operand))
    with np.errstate(over="ignore"):
        steps = references.distance_of(function, results, np.array(expected).astype(operand.dtype))
    assert steps.max() <= bound_of(function, kind), operand[np.argmax(steps)]
