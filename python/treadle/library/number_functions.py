"""NumPy's functions of single numbers, and methods of numbers, that are no operations of the compiler."""

import math

from treadle.intrinsics import clz, popc
from treadle.library import provides
from treadle.library.compile_time import floor, refuse, typeof
from treadle.types import float32, float64, int64, uint64


def _float_of(x):
    """x in the type of NumPy's functions of floats."""
    if typeof(x) is float32:
        return x
    return float64(x)


def _magnitude(n):
    if typeof(n) is uint64:
        return n
    return uint64(abs(int64(n)))


@provides("number.bit_count")
def bit_count(x):
    """How many bits abs(x) has that are 1."""
    if not isinstance(x, int):
        refuse("only integers have bit_count()")
    return int64(popc(_magnitude(x)))


@provides("number.bit_length")
def bit_length(x):
    """How many bits abs(x) has up to its highest 1."""
    if not isinstance(x, int):
        refuse("only integers have bit_length()")
    return int64(64) - int64(clz(_magnitude(x)))


@provides("number.is_integer")
def is_integer(x):
    """Whether the number has no fraction and is finite."""
    if isinstance(x, complex):
        refuse("complex numbers have no is_integer()")
        return False
    if isinstance(x, int):
        return True
    return math.isfinite(x) and floor(x) == x


@provides("numpy.degrees", "numpy.rad2deg")
def degrees(x):
    """The angle x, in radians, in degrees."""
    value = _float_of(x)
    return value * typeof(value)(180.0 / math.pi)


@provides("numpy.radians", "numpy.deg2rad")
def radians(x):
    """The angle x, in degrees, in radians."""
    value = _float_of(x)
    return value * typeof(value)(math.pi / 180.0)


@provides("numpy.absolute")
def absolute(x):
    """The absolute value, of x's type; of a complex number its distance from 0."""
    if isinstance(x, complex):
        return abs(x)
    return typeof(x)(abs(x))


@provides("numpy.fmod")
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


@provides("numpy.sign")
def sign(x):
    """-1, 0 or 1 of x's type, NaN of NaN; of a complex number that of length 1 in its direction, or 0."""
    number = typeof(x)
    if isinstance(x, complex):
        return x / abs(x) if x != 0 else x
    if isinstance(x, float) and math.isnan(x):
        return x
    return number(number(x > 0) - number(x < 0))


@provides("numpy.square")
def square(x):
    """x * x, of x's type."""
    return typeof(x)(x * x)


@provides("numpy.reciprocal")
def reciprocal(x):
    """1 / x, of x's type: of integers 0, except for 1 and -1."""
    number = typeof(x)
    if isinstance(x, int):
        return number(x) if x == 1 or x == -1 else number(0)
    return number(1) / x


@provides("numpy.conjugate")
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
