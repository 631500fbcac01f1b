"""The table of NumPy's ufuncs: by name and kind of operands, the function of one element.

Kinds are those of `numpy.dtype.kind`: "b" bool, "i" and "u" integers, "f" floats, "c" complex. Most functions are those
that kernels call by the same name, NumPy's own; the others are device functions. Results are converted to the loop's
type.
"""

import functools

import numpy

from treadle.ufuncs import complex_functions, real_functions
from treadle.ufuncs.loops import device_function

# Ufuncs that kernels compute as NumPy does, but for the kinds in `_OWN`.
_OF_KERNELS = frozenset((
    "absolute", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "bitwise_and",
    "bitwise_count", "bitwise_or", "bitwise_xor", "cbrt", "ceil", "clip", "conjugate", "copysign", "cos", "cosh",
    "deg2rad", "degrees", "divide", "equal", "exp", "exp2", "expm1", "fabs", "float_power", "floor", "floor_divide",
    "fmax", "fmin", "fmod", "gcd", "greater", "greater_equal", "heaviside", "hypot", "invert", "isfinite", "isinf",
    "isnan", "lcm", "ldexp", "less", "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2",
    "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative",
    "nextafter", "not_equal", "positive", "power", "rad2deg", "radians", "reciprocal", "remainder", "rint", "sign",
    "signbit", "sin", "sinh", "spacing", "sqrt", "square", "subtract", "tan", "tanh", "trunc",
))  # fmt: skip

_OWN = {
    (name, kind): function
    for module in (real_functions, complex_functions)
    for name, rows in module.FUNCTIONS.items()
    for kinds, function in rows.items()
    for kind in kinds
}

# Ufuncs whose operands may be reduced in any order, see `reductions`.
COMMUTATIVE = frozenset((
    "add", "bitwise_and", "bitwise_or", "bitwise_xor", "fmax", "fmin", "gcd", "hypot", "lcm", "logaddexp", "logaddexp2",
    "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply",
))  # fmt: skip


_compiled = functools.cache(device_function)


def element_function(name, dtype):
    """What kernels call for a ufunc and operands whose first has this dtype; None if there is none."""
    own = _OWN.get((name, dtype.kind))
    if own is not None:
        return _compiled(own)
    return getattr(numpy, name) if name in _OF_KERNELS else None
