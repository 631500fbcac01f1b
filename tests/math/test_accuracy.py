# Math: no function exceeds CUDA's error bounds, against correctly rounded results stored in references.npz.
"""Distances count representable steps from the correctly rounded result, at 20,480 points of each function and type and
at all edges: zeros, ends of the ranges, subnormal numbers, infinities, NaN, neighbours of roots and of overflow."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import points
import references
import routines

# CUDA's bounds, repeated so that they cannot be relaxed in the code alone: (float32, float64)
BOUNDS = {
    "acos": (3, 1), "asin": (4, 2), "atan": (2, 2), "acosh": (4, 2), "asinh": (3, 2), "atanh": (3, 2),
    "cos": (2, 1), "sin": (2, 1), "tan": (4, 2), "cosh": (2, 1), "sinh": (3, 1), "tanh": (2, 1),
    "exp": (2, 1), "expm1": (1, 1), "log": (1, 1), "log2": (1, 1), "log10": (2, 1), "log1p": (1, 1),
    "erf": (2, 2), "erfc": (4, 4), "cbrt": (1, 1), "atan2": (3, 2), "pow": (8, 2), "hypot": (3, 2),
    "sqrt": (0, 0), "fabs": (0, 0), "ceil": (0, 0), "floor": (0, 0), "trunc": (0, 0), "copysign": (0, 0),
    "fmod": (0, 0), "exp2": (2, 1), "tgamma": (11, 8), "lgamma": (6, 4),
}  # fmt: skip
# These are instructions on both devices, without routines of ours.
INSTRUCTIONS = "sqrt fabs ceil floor trunc copysign".split()
ROUTINES = [name for name in BOUNDS if name not in INSTRUCTIONS]

KINDS = list(points.FLOATS)


def bound_of(function, kind):
    return BOUNDS[function][KINDS.index(kind)]


def assert_within(bound, function, kind, results):
    expected = references.references(function, kind)
    steps = references.distance_of(function, results, expected)
    worst = int(np.argmax(steps))
    if steps[worst] > bound:
        operands = ", ".join(repr(side[worst]) for side in points.points(function, kind))
        count = np.count_nonzero(steps > bound)
        pytest.fail(
            f"{function}({operands}) gives {results[worst]!r}, {steps[worst]} steps from {expected[worst]!r}; "
            f"{count} of {len(steps)} points are over the bound of {bound}"
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", BOUNDS)
def test_there_are_points_and_the_table_has_cudas_bounds(function, kind):
    assert routines.bounds(function, kind)[0] == bound_of(function, kind)
    results = references.references(function, kind)
    assert len(results) >= 20_000 + len(points.edges(kind))
    # With points that miss the difficult arguments, any routine would pass.
    assert np.count_nonzero(np.isfinite(results)) > len(results) // 5


@pytest.mark.parametrize("level", routines.LEVELS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ROUTINES)
def test_vector_routine(function, kind, level):
    if level not in routines.levels():
        pytest.skip(f"this machine has no {level}")
    address, stated = routines.routine(function, kind, level)
    assert stated <= bound_of(function, kind)
    assert_within(stated, function, kind, routines.call(address, level, *points.points(function, kind)))


@pytest.mark.parametrize("level", routines.LEVELS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ROUTINES)
def test_fast_vector_routine_is_of_that_function(function, kind, level):
    if level not in routines.levels():
        pytest.skip(f"this machine has no {level}")
    address, _ = routines.routine(function, kind, level, fast=True)
    operands = points.points(function, kind)
    results, expected = routines.call(address, level, *operands), references.references(function, kind)
    # Typical arguments under fastmath: none that are huge, subnormal or negative where those are special.
    usual = np.logical_and.reduce([(np.abs(side) > 1e-3) & (np.abs(side) < 30) for side in operands])
    usual &= np.isfinite(expected) & (np.abs(expected) > 1e-3)
    if function == "pow":
        usual &= operands[0] > 0
    assert np.count_nonzero(usual) > 1000
    assert np.allclose(results[usual], expected[usual], rtol=1e-3, atol=0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", ROUTINES)
def test_device_function_that_serves_without_libdevice(function, kind):
    own = routines.bounds(function, kind)[1]
    assert own <= bound_of(function, kind)
    assert_within(own, function, kind, routines.call_device(function, kind, *points.points(function, kind)))


@pytest.mark.parametrize("processor", ["sm_75", "sm_90"])
def test_device_functions_assemble(processor, assemble):
    bitcode = routines.LIBRARY.parents[1] / "generated/device_math.bc"
    if not bitcode.exists():
        pytest.skip(f"{bitcode.name} is not built: ./dev build")
    command = ["/usr/lib/llvm-19/bin/llc", f"-mcpu={processor}", "-mattr=+ptx78", str(bitcode), "-o", "-"]
    ptx = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    for function in ROUTINES:
        assert f" __nv_{function}(" in ptx and f" __nv_{function}f(" in ptx
    assemble(ptx, processor)


@pytest.mark.parametrize("kind", KINDS)
def test_lgamma_beside_its_negative_roots(kind):
    """CUDA states no bound there, where the result is a difference of numbers up to 20 times as large as it is."""
    operand = points._Stream("lgamma roots", kind).uniform(-11.1, -2.2, 4096)
    expected = np.array([math.lgamma(value) for value in operand.tolist()])
    results = [routines.call_device("lgamma", kind, operand)]
    for level in routines.levels():
        results.append(routines.call(routines.routine("lgamma", kind, level)[0], level, operand))
    for result in results:
        assert np.max(np.abs(result - expected)) < 100 * np.finfo(points.FLOATS[kind]).eps
