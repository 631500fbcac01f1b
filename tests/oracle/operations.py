# The result of each operation on numbers: plain Python values in, a plain Python value or ANY out.
"""Operands are already converted to the types that `number_rules` names."""

import cmath
import math

from oracle import number_types as nt
from oracle.number_types import ANY


def binary(op, typing, a, b):
    """`a op b`, with a of type typing.left and b of typing.right."""
    if a is ANY or b is ANY:
        return ANY
    if nt.is_complex(typing.result):
        return _COMPLEX[op](a, b, typing.result)
    if op in ("<<", ">>"):
        return _shift(op, typing, int(a), int(b))
    if nt.is_float(typing.left):
        return _float_binary(op, typing, a, b)
    return _int_binary(op, typing.result, int(a), int(b))


def _int_binary(op, result, a, b):
    if op in ("//", "%") and b == 0:
        return ANY
    if op == "**" and b < 0:
        return ANY
    exact = pow(a, b, 1 << 64) if op == "**" else _INT[op](a, b)
    return exact != 0 if result == nt.BOOL else nt.wrap(exact, result)


_INT = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def _shift(op, typing, a, b):
    """The count is taken modulo the width of the left operand."""
    if typing.result == nt.BOOL:
        return a << b != 0 if op == "<<" else a >> b != 0
    count = b & nt.bits(typing.left) - 1
    return nt.wrap(a << count if op == "<<" else a >> count, typing.result)


def _float_binary(op, typing, a, b):
    ty = typing.left
    if op == "//" and nt.is_int(typing.result):
        return _floor_to_int(a, b, typing.result)
    if op == "**" and typing.right != ty:
        return _float_power_int(a, b, ty)
    return _FLOAT[op](a, b, ty)


def _divide(a, b, ty):
    if b == 0:
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return nt.round_float(a / b, ty)


def _floor_divide(a, b, ty):
    """Python's algorithm; division by zero is IEEE's."""
    if b == 0 or math.isnan(a) or math.isnan(b):
        return _divide(a, b, ty)
    if math.isinf(a):
        return math.nan
    if math.isinf(b):
        return _divide(a, b, ty) if a == 0 or (a < 0) == (b < 0) else -1.0
    numerator, denominator = _exact_quotient(a, b)
    floor = numerator // denominator
    if floor == 0:
        return math.copysign(0.0, math.copysign(1.0, a) * math.copysign(1.0, b))
    return _int_to_float(floor, ty)


def _exact_quotient(a, b):
    (an, ad), (bn, bd) = a.as_integer_ratio(), b.as_integer_ratio()
    numerator, denominator = an * bd, ad * bn
    return (-numerator, -denominator) if denominator < 0 else (numerator, denominator)


def _int_to_float(value, ty):
    """Rounded once; infinite beyond the range."""
    if value.bit_length() > 1024:
        return math.inf if value > 0 else -math.inf
    try:
        return nt.round_float(nt.int_to_float(value, ty), ty)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _floor_to_int(a, b, result):
    """cuda-python's `//` of floats: the floor of the exact quotient as an integer."""
    if math.isnan(a) or math.isnan(b):
        return 0
    if b == 0 or math.isinf(a) or math.isinf(b):
        return ANY
    numerator, denominator = _exact_quotient(a, b)
    low, high = nt.int_range(result)
    return min(max(numerator // denominator, low), high)


def _modulo(a, b, ty):
    """Python's remainder: exact, with the divisor's sign."""
    if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b):
        return math.nan
    rest = math.fmod(a, b)
    if rest == 0:
        return math.copysign(0.0, b)
    return nt.round_float(rest + b, ty) if (rest < 0) != (b < 0) else rest


def power(a, b, ty):
    """C's pow."""
    if b == 0 or a == 1:
        return 1.0
    try:
        return nt.round_float(math.pow(a, b), ty)
    except OverflowError:
        odd = b.is_integer() and int(b) & 1
        return math.copysign(math.inf, a) if odd else math.inf
    except ValueError:
        if a == 0:
            odd = b.is_integer() and int(b) & 1
            return math.copysign(math.inf, a) if odd else math.inf
        return math.nan


def _float_power_int(a, n, ty):
    """Repeated multiplication; `power_ulps` bounds its distance from the exact power."""
    if n == 0:
        return 1.0
    if math.isnan(a):
        return math.nan
    odd = n & 1
    if a == 0 or math.isinf(a):
        huge = math.isinf(a) == (n > 0)
        magnitude = math.inf if huge else 0.0
        return math.copysign(magnitude, a) if odd else magnitude
    if abs(a) == 1:
        return a if odd else 1.0
    if abs(n) > 4096:
        return ANY
    try:
        return nt.round_float(a**n, ty)
    except OverflowError:
        return math.copysign(math.inf, a) if odd else math.inf


def power_ulps(ty, exponent=None):
    """The ULPs allowed for `**`: CUDA's bound of pow, or more than half a unit for each of |n| multiplications. Of
    float16 those of float32, rounded."""
    if ty == "float16":
        return 1 + (abs(exponent or 0) >> 12)
    if exponent is None:
        return 8 if ty == "float32" else 2
    return 4 + abs(exponent)


_FLOAT = {
    "+": lambda a, b, ty: nt.round_float(a + b, ty),
    "-": lambda a, b, ty: nt.round_float(a - b, ty),
    "*": lambda a, b, ty: nt.round_float(a * b, ty),
    "/": _divide,
    "//": _floor_divide,
    "%": _modulo,
    "**": power,
}


def _rounded(value, ty):
    return complex(nt.round_float(value.real, nt.part(ty)), nt.round_float(value.imag, nt.part(ty)))


def _complex_multiply(a, b, ty):
    if not (cmath.isfinite(a) and cmath.isfinite(b)):
        return ANY
    result = _rounded(a * b, ty)
    return result if cmath.isfinite(result) else ANY


def _complex_divide(a, b, ty):
    if b == 0 or not (cmath.isfinite(a) and cmath.isfinite(b)):
        return ANY
    result = _rounded(a / b, ty)
    largest = 1e18 if ty == "complex64" else 1e150
    scales = [abs(v) for v in (a, b) if v != 0]
    return result if all(1 / largest < s < largest for s in scales) else ANY


def _complex_power(a, b, ty):
    if a == 0 or not (cmath.isfinite(a) and cmath.isfinite(b)) or abs(a) > 1e4 or abs(b) > 8 or abs(a) < 1e-4:
        return ANY
    return _rounded(a**b, ty)


_COMPLEX = {
    "+": lambda a, b, ty: _rounded(complex(a.real + b.real, a.imag + b.imag), ty),
    "-": lambda a, b, ty: _rounded(complex(a.real - b.real, a.imag - b.imag), ty),
    "*": _complex_multiply,
    "/": _complex_divide,
    "**": _complex_power,
}


def compare(op, a, b):
    if a is ANY or b is ANY:
        return ANY
    return {
        "==": lambda: a == b,
        "!=": lambda: a != b,
        "<": lambda: a < b,
        "<=": lambda: a <= b,
        ">": lambda: a > b,
        ">=": lambda: a >= b,
    }[op]()


def min_max(op, a, b):
    """`min` or `max`; of a number and a NaN the number; of two zeros with different signs either."""
    if a is ANY or b is ANY:
        return ANY
    if isinstance(a, float) and (math.isnan(a) or math.isnan(b)):
        return b if math.isnan(a) else a
    return min(a, b) if op == "min" else max(a, b)


def unary(op, ty, a):
    """`ty`: the type in which it is computed and its result type (for `not` the operand's)."""
    if a is ANY:
        return ANY
    if op == "not":
        return not a
    if ty == nt.BOOL:
        return not a if op == "~" else bool(a)
    if op == "~":
        return nt.wrap(~a, ty)
    if op == "+":
        return a
    return nt.wrap(-a, ty) if nt.is_int(ty) else -a


def absolute(ty, a):
    if a is ANY:
        return ANY
    if isinstance(a, complex):
        try:
            return nt.round_float(math.hypot(a.real, a.imag), ty)
        except OverflowError:
            return math.inf
    if ty == nt.BOOL:
        return bool(a)
    return nt.wrap(abs(a), ty) if nt.is_int(ty) else abs(a)
