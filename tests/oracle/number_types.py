# Number types of the oracle: their names, widths and ranges, and conversions between them, on plain Python values.
"""Values are Python's: bool, int (in the type's range), float (already rounded to the type), complex."""

import ctypes
import math

import numpy as np

BOOL = "bool"
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
FLOATS = ("float16", "float32", "float64")
COMPLEXES = ("complex64", "complex128")
ALL = (BOOL, *INTS, *FLOATS, *COMPLEXES)
REALS = (BOOL, *INTS, *FLOATS)
INTEGERS = (BOOL, *INTS)

_BITS = {BOOL: 1, "float16": 16, "float32": 32, "float64": 64, "complex64": 64, "complex128": 128}
_BITS |= {name: int(name.removeprefix("u").removeprefix("int")) for name in INTS}
_DIGITS = {"float16": 11, "float32": 24, "float64": 53}


class _Any:
    """Represents an undefined result: any value is accepted, but nothing may crash."""

    def __repr__(self):
        return "ANY"


ANY = _Any()


def bits(ty):
    return _BITS[ty]


def is_int(ty):
    return ty in INTS


def is_float(ty):
    return ty in FLOATS


def is_complex(ty):
    return ty in COMPLEXES


def is_signed(ty):
    return ty in SIGNED


def int_type(width, signed):
    return f"{'' if signed else 'u'}int{width}"


def int_range(ty):
    """Smallest and largest value of an integer type (bool included)."""
    if ty == BOOL:
        return 0, 1
    width = bits(ty)
    return (-(1 << width - 1), (1 << width - 1) - 1) if is_signed(ty) else (0, (1 << width) - 1)


def part(ty):
    """The float type of a complex type's parts."""
    return "float32" if ty == "complex64" else "float64"


def dtype(ty):
    return np.dtype("bool" if ty == BOOL else ty)


def wrap(value, ty):
    """An exact integer wrapped to `ty` in two's complement."""
    width = bits(ty)
    value &= (1 << width) - 1
    if is_signed(ty) and value >> width - 1:
        value -= 1 << width
    return value


def round_float(value, ty):
    """A float64 value rounded once to `ty`."""
    if ty == "float16":
        with np.errstate(over="ignore"):
            return float(np.float16(value))
    return ctypes.c_float(value).value if ty == "float32" else value


def int_to_float(value, ty):
    """An integer rounded once (ties to even) to `ty`, never through a wider float."""
    if ty == "float64":
        return float(value)
    magnitude = abs(value)
    excess = magnitude.bit_length() - _DIGITS[ty]
    if excess > 0:
        kept, rest = magnitude >> excess, magnitude & (1 << excess) - 1
        half = 1 << excess - 1
        if rest > half or (rest == half and kept & 1):
            kept += 1
        magnitude = kept << excess
    if ty == "float16" and magnitude > 65504:
        return -math.inf if value < 0 else math.inf
    return float(-magnitude if value < 0 else magnitude)


def float_to_int(value, ty):
    """Towards zero; values out of range saturate, NaN becomes 0."""
    if math.isnan(value):
        return 0
    low, high = int_range(ty)
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(math.trunc(value), low), high)


def convert(value, source, target):
    """`target(value)` for a value of type `source`; real numbers only to real and complex types, complex to complex."""
    if value is ANY or source == target:
        return value
    if target == BOOL:
        return bool(value != 0)
    if is_complex(target):
        as_complex = value if is_complex(source) else complex(convert(value, source, part(target)), 0.0)
        return complex(round_float(as_complex.real, part(target)), round_float(as_complex.imag, part(target)))
    if is_complex(source):
        raise TypeError(f"no conversion from {source} to {target}")
    if is_float(source):
        return round_float(value, target) if is_float(target) else float_to_int(value, target)
    return int_to_float(int(value), target) if is_float(target) else wrap(int(value), target)


def from_numpy(value):
    """A NumPy scalar as the oracle's Python value."""
    return value.item()


def ulp(value, ty):
    """The distance between a float and its neighbour away from zero."""
    if math.isinf(value) or math.isnan(value):
        return 0.0
    if ty == "float64":
        return math.ulp(value)
    return float(np.spacing(dtype(ty).type(abs(value))))


def same_float(found, expected, ty, ulps=0):
    """Equal within `ulps`; all NaNs are equal, and so are the two zeros unless `ulps` is 0."""
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    if found == expected:
        return ulps > 0 or found != 0 or math.copysign(1, found) == math.copysign(1, expected)
    if math.isinf(expected) or math.isinf(found):
        largest = float(np.finfo(ty).max)
        finite = found if math.isinf(expected) else expected
        infinite = expected if math.isinf(expected) else found
        return ulps > 0 and math.copysign(largest, infinite) == finite
    return abs(found - expected) <= ulps * max(ulp(expected, ty), ulp(found, ty))
