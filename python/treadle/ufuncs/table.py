"""The table of NumPy's ufuncs: by name and kind of operands, the function of one element.

Kinds are those of `numpy.dtype.kind`: "b" bool, "i" and "u" integers, "f" floats, "c" complex. The functions are device
functions of scalars, under the number rules that `marks` says; results are converted to the loop's type.
"""

import functools

from treadle.ufuncs import complex_functions, float_functions, integer_functions
from treadle.ufuncs.loops import device_function
from treadle.ufuncs.marks import PerType

TABLE: dict[str, dict] = {}

for _module in (integer_functions, float_functions, complex_functions):
    for _name, _rows in _module.FUNCTIONS.items():
        for _kinds, _function in _rows.items():
            for _kind in _kinds:
                TABLE.setdefault(_name, {})[_kind] = _function

# Ufuncs whose operands may be reduced in any order, see `reductions`.
COMMUTATIVE = frozenset((
    "add", "bitwise_and", "bitwise_or", "bitwise_xor", "fmax", "fmin", "gcd", "hypot", "lcm", "logaddexp", "logaddexp2",
    "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply",
))  # fmt: skip


@functools.cache
def element_function(name, dtype):
    """The device function of a ufunc for operands whose first has this dtype; None if there is none."""
    found = TABLE.get(name, {}).get(dtype.kind)
    if found is None:
        return None
    return _compiled(found.function_for(dtype) if isinstance(found, PerType) else found)


@functools.cache
def _compiled(function):
    return device_function(function, getattr(function, "rules", "numba"))
