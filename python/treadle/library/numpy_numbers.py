"""NumPy's functions of numbers, which are functions of the elements of arrays, too."""

import math

from treadle.library import provides
from treadle.library.compile_time import typeof
from treadle.types import float16, float32, float64


@provides("numpy.where", elementwise=True)
def where(condition, x, y):
    """x where the condition holds, else y."""
    return x if condition else y


@provides("numpy.clip", elementwise=True)
def clip(a, a_min, a_max):
    """`a` within the bounds; NaN stays."""
    if a < a_min:
        return a_min
    if a > a_max:
        return a_max
    return a


def _float_of(x):
    """x in the type of NumPy's functions of floats; of halves the one in which they are computed."""
    if typeof(x) is float32:
        return x
    if typeof(x) is float16:
        return float32(x)
    return float64(x)


@provides("numpy.degrees", "numpy.rad2deg", elementwise=True)
def degrees(x):
    """The angle x, in radians, in degrees."""
    value = _float_of(x)
    return value * typeof(value)(180.0 / math.pi)


@provides("numpy.radians", "numpy.deg2rad", elementwise=True)
def radians(x):
    """The angle x, in degrees, in radians."""
    value = _float_of(x)
    return value * typeof(value)(math.pi / 180.0)


@provides("numpy.absolute", elementwise=True)
def absolute(x):
    """The absolute value, of x's type; of a complex number its distance from 0."""
    if isinstance(x, complex):
        return abs(x)
    return typeof(x)(abs(x))


@provides("numpy.fmod", elementwise=True)
def fmod(x, y):
    """What a division that rounds towards 0 leaves: x's sign. Of integers an integer, which is 0 if y is 0."""
    if isinstance(x, int) and isinstance(y, int):
        return _integer_fmod(x, y)
    return _float_fmod(x, y)


def _integer_fmod(x, y):
    rest = x % y if y != 0 else x - x
    # Python's has y's sign.
    return rest - y if rest != 0 and (x < 0) != (rest < 0) else rest


def _float_fmod(x, y):
    value, divisor = _common_floats(x, y)
    return math.fmod(value, divisor)


def _common_floats(x, y):
    if typeof(x) is float32 and typeof(y) is float32:
        return x, y
    return float64(x), float64(y)


@provides("numpy.sign", elementwise=True)
def sign(x):
    """-1, 0 or 1 of x's type, NaN of NaN; of a complex number that of length 1 in its direction, or 0."""
    number = typeof(x)
    if isinstance(x, complex):
        return x / abs(x) if x != 0 else x
    if isinstance(x, float) and math.isnan(x):
        return x
    return number(number(x > 0) - number(x < 0))


@provides("numpy.square", elementwise=True)
def square(x):
    """x * x, of x's type."""
    return typeof(x)(x * x)


@provides("numpy.reciprocal", elementwise=True)
def reciprocal(x):
    """1 / x, of x's type: of integers 0, except for 1 and -1."""
    number = typeof(x)
    if isinstance(x, int):
        return number(x) if x == 1 or x == -1 else number(0)
    return number(number(1) / x)


@provides("numpy.conjugate", elementwise=True)
def conjugate(x):
    """x with the other sign of its imaginary part."""
    return x.conjugate()


@provides("numpy.real")
def real(val):
    """The real part."""
    return val.real


@provides("numpy.imag")
def imag(val):
    """The imaginary part."""
    return val.imag


@provides("numpy.angle")
def angle(z, deg=False):
    """The angle, from -pi to pi, or in degrees."""
    x, y = _float_of(z.real), _float_of(z.imag)
    result = math.atan2(y, x)
    return degrees(result) if deg else result
