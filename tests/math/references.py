# The correctly rounded results at all points: low bits from a file, completed by this machine's math library.
"""The file has the low bits of each correctly rounded result; the library's result, however it is rounded, selects one
of the numbers with these bits. A digest of the completed results proves them right, so the references are the same
on every machine and do not depend on the library's accuracy."""

import ctypes
import hashlib
import math
from functools import cache
from pathlib import Path

import numpy as np
import points

FILE = Path(__file__).with_name("references.npz")
LOW_BITS = {"f32": 4, "f64": 8}


def _each(function):
    return lambda values: np.array([function(value) for value in values.tolist()], dtype=np.float64)


def _at_poles(value):
    """C's gamma() where Python's raises: at 0 and at negative integers, and beyond the overflow."""
    try:
        return math.gamma(value)
    except ValueError:
        return math.copysign(math.inf, value) if value == 0 else math.nan
    except OverflowError:
        return math.copysign(math.inf, value) if abs(value) < 1 else math.inf


def _log_gamma():
    """C's: Python's loses its digits beside its roots."""
    function = ctypes.CDLL("libm.so.6").lgamma
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return function


_LIBRARY = {
    "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "acosh": np.arccosh, "asinh": np.arcsinh,
    "atanh": np.arctanh, "atan2": np.arctan2, "pow": np.power, "erf": _each(math.erf), "erfc": _each(math.erfc),
    "tgamma": _each(_at_poles), "lgamma": _each(_log_gamma()),
}  # fmt: skip


def approximate(function, kind):
    """Results of this machine's library, in float64 and then rounded."""
    operands = [side.astype(np.float64) for side in points.points(function, kind)]
    with np.errstate(all="ignore"):
        results = _LIBRARY.get(function, getattr(np, function, None))(*operands)
        return results.astype(points.FLOATS[kind])


def _key(function, kind):
    return f"{function}_{kind}"


def digest(results):
    canonical = np.where(np.isnan(results), results.dtype.type("nan"), results)
    return np.frombuffer(hashlib.sha256(canonical.tobytes()).digest(), dtype=np.uint8)


def store(new_results):
    """Puts {(function, kind): correctly rounded results} into the file."""
    arrays = dict(_stored()) if FILE.exists() else {}
    for (function, kind), results in new_results.items():
        low = points.to_ordered(results) & ((1 << LOW_BITS[kind]) - 1)
        low = np.where(np.isnan(results), 0, low).astype(np.uint8)
        if kind == "f32":
            low = np.append(low, np.zeros(len(low) % 2, np.uint8))
            low = low[::2] | low[1::2] << 4
        arrays[_key(function, kind)] = low
        arrays[_key(function, kind) + "_digest"] = digest(results)
    np.savez_compressed(FILE, **arrays)
    _stored.cache_clear()


@cache
def _stored():
    with np.load(FILE) as file:
        return {name: file[name] for name in file.files}


@cache
def references(function, kind):
    """The correctly rounded results at points(function, kind)."""
    close = approximate(function, kind)
    low = _stored()[_key(function, kind)]
    if kind == "f32":
        low = np.stack([low & 15, low >> 4], axis=1).ravel()[: len(close)]
    ordered = points.to_ordered(close)
    span = 1 << LOW_BITS[kind]
    ordered += ((low.astype(np.int64) - (ordered & (span - 1)) + span // 2) & (span - 1)) - span // 2
    results = np.where(np.isnan(close), close.dtype.type("nan"), points.from_ordered(ordered, kind))
    if not np.array_equal(digest(results), _stored()[_key(function, kind) + "_digest"]):
        raise AssertionError(f"this machine's {function} ({kind}) is too far off to complete the stored references")
    return results


def distance(results, expected):
    """Representable steps between results and references, per point; a NaN on one side only, or a zero of the wrong
    sign, counts as 2**40."""
    apart = np.int64(2**40)
    # Both zeros are number 0 here; they differ in sign only.
    ours, theirs = (np.where(order < 0, order + 1, order) for order in map(points.to_ordered, (results, expected)))
    with np.errstate(over="ignore"):
        steps = np.abs(ours - theirs)
    wrong_zero = (expected == 0) & (results == 0) & (np.signbit(expected) != np.signbit(results))
    one_nan = np.isnan(results) != np.isnan(expected)
    steps = np.where(np.isnan(expected) & np.isnan(results), 0, np.minimum(steps, apart))
    return np.where(wrong_zero | one_nan, apart, steps)


def distance_of(function, results, expected):
    """distance(), except that the zeros of gamma(x), where it is too small to be represented, may have either sign."""
    if function == "tgamma":
        results, expected = (np.where(side == 0, np.abs(side), side) for side in (results, expected))
    return distance(results, expected)
