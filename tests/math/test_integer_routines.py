# Vector routines whose results are exact: division and powers of integers, // and % of floats, against Python's own.

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import points
import routines

TYPES = {"i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64}


def every_level(test):
    return pytest.mark.parametrize("level", routines.LEVELS)(test)


def need(level):
    if level not in routines.levels():
        pytest.skip(f"this machine has no {level}")


def integer_pairs(kind):
    """All pairs of edges, then pairs of all magnitudes, multiples and their neighbours."""
    info = np.iinfo(TYPES[kind])
    edges = {0, 1, 2, 3, 7, 10, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**51 - 1, 2**51, 2**52, 2**53 - 1, 2**53 + 1}
    edges |= {info.max, info.max - 1, info.max // 2} | {-value for value in edges} | {info.min, info.min + 1}
    edges |= {-(2**51) - 1, 2**62}
    edges = sorted(value for value in edges if info.min <= value <= info.max)
    pairs = [(a, b) for a in edges for b in edges]
    words = points._Stream(f"integers {kind}", "f64").words(40_000)
    for first, second in zip(words[::2].tolist(), words[1::2].tolist(), strict=True):
        a = (first >> 8) >> (first & 63)
        b = (second >> 8) >> (second & 63)
        a, b = (-a if first & 64 else a), (-b if second & 64 else b)
        if first & 128:
            a = a // (b or 1) * b + (second >> 6 & 3) - 1
        pairs.append((wrapped(a, kind), wrapped(b, kind)))
    return pairs


def wrapped(value, kind):
    bits = int(kind[1:])
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind[0] == "i" and value >> (bits - 1) else value


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


DIVISIONS = {
    "quotient": truncated,
    "remainder": lambda a, b: a - truncated(a, b) * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}


@every_level
@pytest.mark.parametrize("operation", DIVISIONS)
@pytest.mark.parametrize("kind", TYPES)
def test_integer_division(kind, operation, level):
    need(level)
    pairs = integer_pairs(kind)
    left, right = (np.array(side, dtype=TYPES[kind]) for side in zip(*pairs, strict=True))
    address, stated = routines.routine(operation, kind, level)
    assert stated == 0
    results = routines.call(address, level, left, right).tolist()
    for (a, b), result in zip(pairs, results, strict=True):
        # Division by 0 may return any value, but must not trap: the call above had many such divisors.
        assert b == 0 or result == wrapped(DIVISIONS[operation](a, b), kind), (a, b)


def integer_power(a, b, kind):
    if b >= 0:
        return wrapped(pow(a, b, 1 << int(kind[1:])), kind)
    return a if a in (1, -1) and b & 1 else 1 if a in (1, -1) else 0


@every_level
@pytest.mark.parametrize("kind", TYPES)
def test_integer_power(kind, level):
    need(level)
    pairs = integer_pairs(kind)
    left, right = (np.array(side, dtype=TYPES[kind]) for side in zip(*pairs, strict=True))
    results = routines.call(routines.routine("pow", kind, level)[0], level, left, right).tolist()
    for (a, b), result in zip(pairs, results, strict=True):
        assert result == integer_power(a, b, kind), (a, b)


def python_floor_divide(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a // b


def python_mod(a, b):
    return math.nan if b == 0 else a % b


def numpy_results(operation, left, right):
    """NumPy's float32 results are CPython's algorithm in float32."""
    with np.errstate(all="ignore"):
        return np.floor_divide(left, right) if operation == "floordiv" else np.remainder(left, right)


def same(a, b):
    return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (math.isnan(a) and math.isnan(b))


@every_level
@pytest.mark.parametrize("operation", ["floordiv", "mod"])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_float_division(kind, operation, level):
    need(level)
    left, right = points.points("fmod", kind)
    results = routines.call(routines.routine(operation, kind, level)[0], level, left, right)
    if kind == "f64":
        python = python_floor_divide if operation == "floordiv" else python_mod
        expected = [python(a, b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    else:
        expected = numpy_results(operation, left, right).tolist()
    for a, b, result, wanted in zip(left.tolist(), right.tolist(), results.tolist(), expected, strict=True):
        assert same(result, wanted), (a, b)
