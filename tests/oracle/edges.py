# The values at which operators go wrong, for every type, and the allowed errors of results.

import math

import numpy as np

from oracle import number_types as nt
from oracle import operations as ops
from oracle.number_types import ANY

_FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -7.75, 0.1, 100.0, 1e10, -3e9, 2147483648.0, 9.3e18, 1.9e19, 1e30,
    math.nan, math.inf, -math.inf,
)  # fmt: skip
_INTS = (0, 1, -1, 2, -2, 3, 7, -8, 10)


def values(ty):
    """Edges of a type: zeros, ones, smallest, largest, shift counts around its width, NaN, infinities."""
    if ty == nt.BOOL:
        return [False, True]
    if nt.is_float(ty):
        largest = float(np.finfo(ty).max)
        return [nt.round_float(v, ty) for v in (*_FLOATS, largest, -largest, float(np.finfo(ty).smallest_subnormal))]
    if nt.is_complex(ty):
        parts = (0.0, 1.0, -1.5, 0.1, 1e3)
        return [nt.convert(complex(a, b), "complex128", ty) for a in parts for b in parts[::2]]
    low, high = nt.int_range(ty)
    width = nt.bits(ty)
    wanted = {*_INTS, low, low + 1, high, high - 1, width - 1, width, width + 1, 31, 32, 33, 63, 64}
    return sorted(v for v in wanted if low <= v <= high)


def literals(ty):
    """Literals to combine with operands of a type; never 0, as dividing by it is an error."""
    if nt.is_complex(ty):
        return (2, 0.5, -1.25)
    return (1, -1, 3, 7, 31, 64, 300, 1 << 40, 0.5, -1.5, 0.1)


def is_right(found, expected, ty, ulps=0, zeros_differ=True):
    """Whether a result is the expected one. Floats: within `ulps`, including the sign of zero unless told otherwise."""
    if expected is ANY:
        return True
    if nt.is_complex(ty):
        pairs = ((found.real, expected.real), (found.imag, expected.imag))
        return all(is_right(f, e, nt.part(ty), ulps, zeros_differ) for f, e in pairs)
    if nt.is_float(ty):
        if found == expected == 0 and not zeros_differ:
            return True
        return nt.same_float(float(found), expected, ty, ulps)
    return bool(found == expected)


def complex_is_right(found, expected, ty, scale, units):
    """Each part within `units` epsilons of `scale`."""
    if expected is ANY:
        return True
    epsilon = float(np.finfo(nt.part(ty)).eps)
    bound = units * epsilon * scale
    pairs = ((found.real, expected.real), (found.imag, expected.imag))
    return all(abs(f - e) <= bound or f == e or (math.isnan(f) and math.isnan(e)) for f, e in pairs)


def binary_is_right(op, typing, operands, found, expected):
    """Whether `found` is right for `a op b`; the operands are already converted."""
    if expected is ANY:
        return True
    ty = typing.result
    a, b = operands
    if nt.is_complex(ty):
        scale = {"+": 0.0, "-": 0.0, "*": abs(a) * abs(b)}.get(op, abs(expected))
        return complex_is_right(found, expected, ty, scale, 2000 if op == "**" else 8)
    computed = typing.left
    if computed == "float16":
        computed = "float32" if nt.is_float(ty) else "float64"
    if op == "//" and nt.is_float(typing.left) and abs(expected) >= 2 ** (24 if computed == "float32" else 53):
        # Such quotients are no longer exact in the type in which they are computed.
        return nt.same_float(float(found), float(expected), computed, ulps=1)
    if not nt.is_float(ty):
        return bool(found == expected)
    if op == "**":
        exponent = b if nt.is_int(typing.right) else None
        if exponent is not None and exponent < 0 and not 1e-30 < abs(expected) < 1e30:
            return True
        return is_right(found, expected, ty, ops.power_ulps(ty, exponent), zeros_differ=False)
    return is_right(found, expected, ty, ulps=0, zeros_differ=op != "//")
