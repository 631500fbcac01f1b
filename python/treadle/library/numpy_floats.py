"""NumPy's functions of floats that Python's math module has under other names, or lacks."""

import math

import numpy as np

from treadle.intrinsics import popc
from treadle.library import provides
from treadle.library.compile_time import numpy_float, refuse, typeof
from treadle.library.math_functions import ldexp as math_ldexp
from treadle.library.math_functions import nextafter as math_nextafter
from treadle.types import float16, float32, float64, uint8


def _pair(x, y):
    """Both in the float type of NumPy's functions of them."""
    if isinstance(x, complex) or isinstance(y, complex):
        refuse("this function of NumPy is one of real numbers")
        return float64(0), float64(0)
    number = numpy_float(x, y)
    return number(x), number(y)


@provides("numpy.logaddexp", elementwise=True)
def logaddexp(x, y):
    """log(exp(x) + exp(y)), without overflow."""
    one, other = _pair(x, y)
    if isinstance(one, float16):
        return float16(logaddexp(float32(one), float32(other)))
    if one == other:
        return one + typeof(one)(0.6931471805599453)
    difference = one - other
    if difference > 0:
        return one + math.log1p(math.exp(-difference))
    if difference <= 0:
        return other + math.log1p(math.exp(difference))
    return difference


@provides("numpy.logaddexp2", elementwise=True)
def logaddexp2(x, y):
    """log2(2 ** x + 2 ** y), without overflow."""
    one, other = _pair(x, y)
    if isinstance(one, float16):
        return float16(logaddexp2(float32(one), float32(other)))
    number = typeof(one)
    if one == other:
        return one + number(1)
    difference = one - other
    if difference > 0:
        return one + number(1.4426950408889634) * math.log1p(np.exp2(-difference))
    if difference <= 0:
        return other + number(1.4426950408889634) * math.log1p(np.exp2(difference))
    return difference


@provides("numpy.heaviside", elementwise=True)
def heaviside(x, at_zero):
    """0 below 0, 1 above it, `at_zero` at 0."""
    value, middle = _pair(x, at_zero)
    number = typeof(value)
    if math.isnan(value):
        return value
    return middle if value == 0 else number(1) if value > 0 else number(0)


@provides("numpy.signbit", elementwise=True)
def signbit(x):
    """Whether the sign is negative, of -0.0, too."""
    return math.copysign(1.0, float64(x)) < 0


@provides("numpy.nextafter", elementwise=True)
def nextafter(x, y):
    """The float next to x on the way to y."""
    one, other = _pair(x, y)
    return math_nextafter(one, other)


@provides("numpy.spacing", elementwise=True)
def spacing(x):
    """The distance to the next float away from 0, with x's sign; that of -0.0 is positive. Of halves that to the next
    larger one."""
    value = numpy_float(x)(x)
    if math.isinf(value):
        return value - value
    start = value if isinstance(value, float16) else abs(value)
    distance = math_nextafter(start, typeof(start)(math.inf)) - start
    return -distance if value < 0 and not isinstance(value, float16) else distance


@provides("numpy.ldexp", elementwise=True)
def ldexp(x, exponent):
    """x * 2 ** exponent."""
    number = numpy_float(x)
    return number(math_ldexp(number(x), exponent))


@provides("numpy.float_power", elementwise=True)
def float_power(x, y):
    """x ** y in float64."""
    if isinstance(x, complex) or isinstance(y, complex):
        return complex(x) ** complex(y)
    return math.pow(float64(x), float64(y))


@provides("numpy.bitwise_count", elementwise=True)
def bitwise_count(x):
    """How many bits of an integer's absolute value are set."""
    if not isinstance(x, int):
        refuse("np.bitwise_count() takes integers")
        return x
    return uint8(popc(abs(x)))
