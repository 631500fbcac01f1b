"""NumPy's functions of floats that Python's math has under other names, or not at all."""

import math

from treadle import cuda
from treadle.library import provides
from treadle.library.compile_time import refuse, typeof
from treadle.library.math_functions import ldexp as math_ldexp
from treadle.library.math_functions import nextafter as math_nextafter
from treadle.types import float16, float32, float64, uint8


def _in_floats(x):
    """x in the type of NumPy's functions of floats; of halves the one in which they are computed."""
    if typeof(x) is float32 or typeof(x) is float16:
        return float32(x)
    return float64(x)


def _common(x, y):
    if isinstance(x, complex) or isinstance(y, complex):
        refuse("this function of NumPy is one of real numbers")
        return float64(0), float64(0)
    return _in_pair(_in_floats(x), _in_floats(y))


def _in_pair(x, y):
    if typeof(x) is float32 and typeof(y) is float32:
        return x, y
    return float64(x), float64(y)


@provides("numpy.logaddexp", elementwise=True)
def logaddexp(x, y):
    """log(exp(x) + exp(y)), without overflow."""
    one, other = _common(x, y)
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
    one, other = _common(x, y)
    number = typeof(one)
    if one == other:
        return one + number(1)
    difference = one - other
    if difference > 0:
        return one + number(1.4426950408889634) * math.log1p(math.exp2(-difference))
    if difference <= 0:
        return other + number(1.4426950408889634) * math.log1p(math.exp2(difference))
    return difference


@provides("numpy.heaviside", elementwise=True)
def heaviside(x, at_zero):
    """0 below 0, 1 above it, `at_zero` at 0."""
    value, middle = _common(x, at_zero)
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
    one, other = _common(x, y)
    return math_nextafter(one, other)


@provides("numpy.spacing", elementwise=True)
def spacing(x):
    """The distance to the next float away from 0, with x's sign; that of -0.0 is positive."""
    value = _in_floats(x)
    if math.isinf(value):
        return value - value
    magnitude = abs(value)
    distance = math_nextafter(magnitude, typeof(magnitude)(math.inf)) - magnitude
    return -distance if value < 0 else distance


@provides("numpy.ldexp", elementwise=True)
def ldexp(x, exponent):
    """x * 2 ** exponent."""
    return math_ldexp(_in_floats(x), exponent)


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
    return uint8(cuda.popc(abs(x)))
