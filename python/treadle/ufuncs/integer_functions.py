"""Functions of one element for NumPy's ufuncs on bools and integers, and those that are the same for all numbers."""

from treadle import cuda
from treadle.types import int64, uint64


def plus(x, y):
    return x + y


def minus(x, y):
    return x - y


def times(x, y):
    return x * y


def negative(x):
    return -x


def same(x):
    return x


def absolute(x):
    return abs(x)


def both(x, y):
    return x & y


def either(x, y):
    return x | y


def differ(x, y):
    return x ^ y


def invert(x):
    return ~x


def invert_bool(x):
    return not x


def equal(x, y):
    return x == y


def not_equal(x, y):
    return x != y


def less(x, y):
    return x < y


def less_equal(x, y):
    return x <= y


def greater(x, y):
    return x > y


def greater_equal(x, y):
    return x >= y


def less_bool(x, y):
    return y and not x


def less_equal_bool(x, y):
    return y or not x


def greater_bool(x, y):
    return x and not y


def greater_equal_bool(x, y):
    return x or not y


def logical_and(x, y):
    return x != 0 and y != 0


def logical_or(x, y):
    return x != 0 or y != 0


def logical_xor(x, y):
    return (x != 0) != (y != 0)


def logical_not(x):
    return x == 0


def logical_not_bool(x):
    return not x


def maximum(x, y):
    return x if x >= y else y


def minimum(x, y):
    return x if x <= y else y


def always(x):
    return True


def never(x):
    return False


def floor_divide(x, y):
    if y == 0:
        return x - x
    # The quotient of the least number and -1 is out of range: it wraps.
    return -x if y == -1 else x // y


def floor_divide_unsigned(x, y):
    return x - x if y == 0 else x // y


def remainder(x, y):
    return y - y if y == 0 or y == -1 else x % y


def remainder_unsigned(x, y):
    return y if y == 0 else x % y


def divmod_signed(x, y):
    if y == 0:
        return x - x, x - x
    if y == -1:
        return -x, x - x
    return x // y, x % y


def divmod_unsigned(x, y):
    if y == 0:
        return x - x, x - x
    return x // y, x % y


def fmod(x, y):
    if y == 0 or y == -1:
        return x - x
    rest = x % y
    # The remainder of a quotient that rounds towards zero has the sign of `x`.
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest


def power(x, y):
    if y < 0:
        return x if x == 1 or (x == -1 and y & 1 == 1) else (1 if x == -1 else 0)
    result, square, left = x - x + 1, x, y
    while left != 0:
        if left & 1 == 1:
            result = result * square
        square = square * square
        left = left >> 1
    return result


def power_unsigned(x, y):
    result, square, left = x - x + uint64(1), uint64(x), uint64(y)
    while left != 0:
        if left & 1 == 1:
            result = result * square
        square = square * square
        left = left >> 1
    return result


def left_shift(x, y):
    # Bits beyond the narrower type are cut off with the conversion of the result.
    return x << y if y >= 0 and y < 64 else x - x


def right_shift(x, y):
    return x >> y if y >= 0 and y < 64 else (-1 if x < 0 else 0)


def right_shift_unsigned(x, y):
    return x >> y if y < 64 else x - x


def square(x):
    return x * x


def reciprocal(x):
    # Of 0 NumPy has no defined result.
    return x if x == 1 or x == -1 else x - x


def sign(x):
    return 1 if x > 0 else (-1 if x < 0 else 0)


def sign_unsigned(x):
    return 1 if x > 0 else 0


@cuda.jit(device=True)
def _divisor(x, y):
    while y != 0:
        x, y = y, x % y
    return x


@cuda.jit(device=True)
def _multiple(x, y):
    divisor = _divisor(x, y)
    return x // divisor * y if divisor != 0 else divisor


def gcd(x, y):
    return _divisor(uint64(abs(int64(x))), uint64(abs(int64(y))))


def gcd_unsigned(x, y):
    return _divisor(uint64(x), uint64(y))


def lcm(x, y):
    return _multiple(uint64(abs(int64(x))), uint64(abs(int64(y))))


def lcm_unsigned(x, y):
    return _multiple(uint64(x), uint64(y))


def bitwise_count(x):
    return cuda.popc(uint64(abs(int64(x))))


def bitwise_count_unsigned(x):
    return cuda.popc(uint64(x))


def clip(x, low, high):
    limited = x if x >= low else low
    return limited if limited <= high else high


FUNCTIONS = {
    "absolute": {"bu": same, "i": absolute},
    "add": {"b": either, "iuc": plus},
    "bitwise_and": {"biu": both},
    "bitwise_count": {"i": bitwise_count, "u": bitwise_count_unsigned},
    "bitwise_or": {"biu": either},
    "bitwise_xor": {"biu": differ},
    "ceil": {"biu": same},
    "clip": {"biu": clip},
    "conjugate": {"biu": same},
    "divmod": {"i": divmod_signed, "u": divmod_unsigned},
    "equal": {"biufc": equal},
    "floor": {"biu": same},
    "floor_divide": {"i": floor_divide, "u": floor_divide_unsigned},
    "fmax": {"b": either, "iu": maximum},
    "fmin": {"b": both, "iu": minimum},
    "fmod": {"i": fmod, "u": remainder_unsigned},
    "gcd": {"i": gcd, "u": gcd_unsigned},
    "greater": {"b": greater_bool, "iuf": greater},
    "greater_equal": {"b": greater_equal_bool, "iuf": greater_equal},
    "invert": {"b": invert_bool, "iu": invert},
    "isfinite": {"biu": always},
    "isinf": {"biu": never},
    "isnan": {"biu": never},
    "lcm": {"i": lcm, "u": lcm_unsigned},
    "left_shift": {"iu": left_shift},
    "less": {"b": less_bool, "iuf": less},
    "less_equal": {"b": less_equal_bool, "iuf": less_equal},
    "logical_and": {"b": both, "iuf": logical_and},
    "logical_not": {"b": logical_not_bool, "iuf": logical_not},
    "logical_or": {"b": either, "iuf": logical_or},
    "logical_xor": {"b": differ, "iuf": logical_xor},
    "maximum": {"b": either, "iu": maximum},
    "minimum": {"b": both, "iu": minimum},
    "multiply": {"b": both, "iuc": times},
    "negative": {"iuc": negative},
    "not_equal": {"biufc": not_equal},
    "positive": {"iufc": same},
    "power": {"i": power, "u": power_unsigned},
    "reciprocal": {"iu": reciprocal},
    "remainder": {"i": remainder, "u": remainder_unsigned},
    "right_shift": {"i": right_shift, "u": right_shift_unsigned},
    "sign": {"i": sign, "u": sign_unsigned},
    "square": {"iuc": square},
    "subtract": {"iuc": minus},
    "trunc": {"biu": same},
}
