# Math in kernels: the results of `math.f(x[i])` on the device are within CUDA's bounds at all stored points.

import importlib.util
import sys
from pathlib import Path

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
