"""Functions of Python's `math` that are not a single operation of the compiler."""

import math

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import bitcast, math_float, refuse, typeof
from treadle.library.totals import total_from
from treadle.types import float16, float64, int16, int32, int64


@provides("math.degrees")
def degrees(x):
    """The angle x, in radians, in degrees."""
    number = math_float(x)
    return number(x) * number(180.0 / math.pi)


@provides("math.radians")
def radians(x):
    """The angle x, in degrees, in radians."""
    number = math_float(x)
    return number(x) * number(math.pi / 180.0)


def _power_of_two64(n):
    """2.0 ** n for -1022 <= n <= 1023."""
    return bitcast((int64(n) + int64(1023)) << int64(52), float64)


@provides("math.ldexp")
def ldexp(x, i):
    """x * 2 ** i, rounded once."""
    if not isinstance(i, int):
        refuse("the second argument of math.ldexp() must be an integer")
    number = math_float(x)
    scale = int64(min(max(int64(i), int64(-2100)), int64(2100)))
    if number is float64:
        return _ldexp64(number(x), scale)
    # Exact in float64, so that only the last conversion rounds.
    scale = min(max(scale, int64(-400)), int64(400))
    return number(float64(number(x)) * _power_of_two64(scale))


def _ldexp64(x, n):
    if n > 1023:
        x *= _power_of_two64(1023)
        n -= 1023
        if n > 1023:
            x *= _power_of_two64(1023)
            n = min(n - 1023, 1023)
    elif n < -1022:
        # 53 bits less than the smallest power, so that a product is rounded only once.
        x *= _power_of_two64(-969)
        n += 969
        if n < -1022:
            x *= _power_of_two64(-969)
            n = max(n + 969, -1022)
    return x * _power_of_two64(n)


@provides("math.frexp")
def frexp(x):
    """(m, e) with x == m * 2 ** e and 0.5 <= abs(m) < 1; x itself and 0 for 0, infinities and NaN. e: int32."""
    number = math_float(x)
    value = float64(number(x))
    bits = bitcast(value, int64)
    shift = int64(0)
    if (bits >> 52) & 0x7FF == 0 and value != 0:
        bits = bitcast(value * 18014398509481984.0, int64)  # 2 ** 54
        shift = int64(54)
    exponent = (bits >> 52) & 0x7FF
    if value == 0 or exponent == 0x7FF:
        return number(value), int32(0)
    mantissa = bitcast((bits & ~(0x7FF << 52)) | (1022 << 52), float64)
    return number(mantissa), int32(exponent - 1022 - shift)


@provides("math.modf")
def modf(x):
    """(fractional part, integral part), both with x's sign."""
    number = math_float(x)
    value = number(x)
    whole = np.trunc(value)
    part = number(0) if math.isinf(value) else value - whole
    return math.copysign(part, value), math.copysign(whole, value)


@provides("math.remainder")
def remainder(x, y):
    """x - n * y, exact, where n is the integer nearest to x / y, the even one of two."""
    number = math_float(x, y)
    dividend, divisor = number(x), abs(number(y))
    if math.isnan(dividend) or math.isnan(divisor) or math.isinf(dividend) or divisor == 0:
        return number(math.nan)
    if math.isinf(divisor):
        return dividend
    if divisor <= number(1e30):
        return _remainder(dividend, divisor)
    # Twice the divisor could overflow. Halves are exact: a small dividend is its own remainder.
    if abs(dividend) <= divisor * number(0.5):
        return dividend
    return number(2) * _remainder(dividend * number(0.5), divisor * number(0.5))


def _remainder(dividend, divisor):
    rest = abs(math.fmod(dividend, divisor + divisor))
    if rest + rest > divisor:
        rest -= divisor
        if rest + rest >= divisor:
            rest -= divisor
    return math.copysign(rest, dividend) if rest == 0 else (-rest if dividend < 0 else rest)


@provides("math.nextafter")
def nextafter(x, y):
    """The float next to x on the way to y; y where they are equal."""
    if isinstance(x, float16) and isinstance(y, float16):
        return _next_after(x, y, int16(1), int16)
    number = math_float(x, y)
    start, end = number(x), number(y)
    if number is float64:
        return _next_after(start, end, int64(1), int64)
    return number(_next_after(start, end, int32(1), int32))


def _next_after(start, end, step, integer):
    number = typeof(start)
    if math.isnan(start) or math.isnan(end):
        return start + end
    if start == end:
        return end
    if start == 0:
        return math.copysign(bitcast(step, number), end)
    # Away from 0 the bits count up, towards 0 down.
    bits = bitcast(start, integer)
    return bitcast(integer(bits + step) if (start < end) == (start > 0) else integer(bits - step), number)


@provides("math.ulp")
def ulp(x):
    """The value of the last bit of x."""
    number = float16 if isinstance(x, float16) else math_float(x)
    value = abs(number(x))
    if math.isnan(value) or math.isinf(value):
        return value
    above = nextafter(value, number(math.inf))
    return value - nextafter(value, number(0)) if math.isinf(above) else above - value


@provides("math.isclose")
def isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    """Whether a and b differ by at most the larger of `abs_tol` and `rel_tol` times the larger of them."""
    number = math_float(a, b)
    x, y = number(a), number(b)
    if x == y:
        return True
    if math.isinf(x) or math.isinf(y):
        return False
    return abs(x - y) <= max(rel_tol * max(abs(x), abs(y)), abs_tol)


@provides("math.log")
def log(x, base):
    """The logarithm of x to a base; of x alone it is an operation of the compiler."""
    number = math_float(x, base)
    return math.log(number(x)) / math.log(number(base))


@provides("math.dist")
def dist(p, q):
    """The distance of two points, given as tuples or as arrays with one axis; of the shorter one's coordinates."""
    number = math_float(p[0], q[0])
    distance = number(0)
    for a, b in zip(p, q):  # noqa: B905
        distance = math.hypot(distance, number(a) - number(b))
    return distance


@provides("math.prod")
def prod(iterable, start=1):
    """The product of a tuple's numbers, or of those of an array with one axis."""
    total = total_from(start, iterable)
    number = typeof(total)
    for item in iterable:
        total *= number(item)
    return total


@provides("math.sumprod")
def sumprod(p, q):
    """The sum of products of two tuples, or of two arrays with one axis."""
    total = total_from(total_from(0, p), q)
    number = typeof(total)
    for a, b in zip(p, q):  # noqa: B905
        total += number(a) * number(b)
    return total
