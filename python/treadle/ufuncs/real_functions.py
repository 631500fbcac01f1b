"""Functions of one element for NumPy's ufuncs on bools, integers and floats, where those of kernels differ.

Those of kernels may check divisors, shift as the processor does, and give an integer's ceiling as a float. Powers are
written out, as LLVM computes them no wider than the result.
"""

import math

from treadle.types import uint64


def _same(x):
    return x


def _floor_divide(x, y):
    if y == 0:
        return x - x
    # The quotient of the minimum and -1 is out of range: it wraps.
    return -x if y == -1 else x // y


def _floor_divide_unsigned(x, y):
    return x - x if y == 0 else x // y


def _remainder(x, y):
    return y - y if y == 0 or y == -1 else x % y


def _remainder_unsigned(x, y):
    return y if y == 0 else x % y


def _divmod(x, y):
    if y == 0:
        return x - x, x - x
    if y == -1:
        return -x, x - x
    return x // y, x % y


def _divmod_unsigned(x, y):
    if y == 0:
        return x - x, x - x
    return x // y, x % y


def _divmod_floats(x, y):
    return x // y, x % y


def _frexp(x):
    return math.frexp(x)


def _modf(x):
    return math.modf(x)


def _power(x, y):
    if y < 0:
        return x if x == 1 or (x == -1 and y & 1 == 1) else (1 if x == -1 else 0)
    result, square, left = x - x + 1, x, y
    while left != 0:
        if left & 1 == 1:
            result = result * square
        square = square * square
        left = left >> 1
    return result


def _power_unsigned(x, y):
    result, square, left = uint64(1), uint64(x), uint64(y)
    while left != 0:
        if left & 1 == 1:
            result = result * square
        square = square * square
        left = left >> 1
    return result


def _left_shift(x, y):
    # Bits beyond the narrower type are dropped when the result is converted.
    return x << y if y >= 0 and y < 64 else x - x


def _right_shift(x, y):
    return x >> y if y >= 0 and y < 64 else (-1 if x < 0 else 0)


def _right_shift_unsigned(x, y):
    return x >> y if y < 64 else x - x


def _clip(x, low, high):
    # Of equal zeros `x`.
    limited = x if x >= low or x != x else low
    return limited if limited <= high or limited != limited else high


FUNCTIONS = {
    "ceil": {"biu": _same},
    "clip": {"f": _clip},
    "divmod": {"i": _divmod, "u": _divmod_unsigned, "f": _divmod_floats},
    "floor": {"biu": _same},
    "floor_divide": {"i": _floor_divide, "u": _floor_divide_unsigned},
    "frexp": {"f": _frexp},
    "left_shift": {"iu": _left_shift},
    "modf": {"f": _modf},
    "power": {"i": _power, "u": _power_unsigned},
    "remainder": {"i": _remainder, "u": _remainder_unsigned},
    "right_shift": {"i": _right_shift, "u": _right_shift_unsigned},
    "trunc": {"biu": _same},
}
