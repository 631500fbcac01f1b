"""NumPy's functions of numbers, which are functions of the elements of arrays, too."""

import math

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import numpy_float, typeof
from treadle.library.integer_functions import magnitude
from treadle.types import float32, float64, int64, uint64


@provides("numpy.where", elementwise=True)
def where(condition, x, y):
    """x where the condition holds, else y."""
    return x if condition else y


# As NumPy divides them in each type.
_DEGREES, _DEGREES32 = 180.0 / math.pi, float(np.float32(180) / np.float32(math.pi))
_RADIANS, _RADIANS32 = math.pi / 180.0, float(np.float32(math.pi) / np.float32(180))


def _scaled(x, factor, factor32):
    number = numpy_float(x)
    if number is float64:
        return number(x) * factor
    return number(float32(x) * float32(factor32))


@provides("numpy.degrees", "numpy.rad2deg", elementwise=True)
def degrees(x):
    """The angle x, in radians, in degrees."""
    return _scaled(x, _DEGREES, _DEGREES32)


@provides("numpy.radians", "numpy.deg2rad", elementwise=True)
def radians(x):
    """The angle x, in degrees, in radians."""
    return _scaled(x, _RADIANS, _RADIANS32)


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
    if isinstance(x, np.unsignedinteger) != isinstance(y, np.unsignedinteger):
        # No type holds all values of both. The remainder is no larger than either, and fits the type of the operators.
        size = magnitude(x) % magnitude(y) if y != 0 else uint64(0)
        return typeof(x + y)(-int64(size) if x < 0 else int64(size))
    if y == 0 or y == -1:
        return x - x
    rest = x % y
    # Python's remainder has y's sign.
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest


def _float_fmod(x, y):
    number = numpy_float(x, y)
    return math.fmod(number(x), number(y))


@provides("numpy.sign", elementwise=True)
def sign(x):
    """-1, 0 or 1 of x's type, NaN of NaN; of a complex number that of length 1 in its direction, or 0."""
    number = typeof(x)
    if isinstance(x, complex):
        return number(_direction(x.real, x.imag))
    return number(1) if x > 0 else number(-1) if x < 0 else number(0) if x == 0 else x


def _direction(a, b):
    if math.isinf(a) != math.isinf(b):
        return complex(
            math.copysign(1.0, a) if math.isinf(a) else (b if b != b else 0.0),
            math.copysign(1.0, b) if math.isinf(b) else (a if a != a else 0.0),
        )
    size = math.hypot(a, b)
    return complex(0.0, 0.0) if size == 0.0 else complex(a / size, b / size)


@provides("numpy.square", elementwise=True)
def square(x):
    """x * x, of x's type."""
    return typeof(x)(x * x)


@provides("numpy.reciprocal", elementwise=True)
def reciprocal(x):
    """1 / x, of x's type: of integers 0, except for 1 and -1; of complex numbers by Smith's formula, as NumPy."""
    number = typeof(x)
    if isinstance(x, complex):
        if abs(x.imag) <= abs(x.real):
            ratio = x.imag / x.real
            divisor = x.real + x.imag * ratio
            return number(complex(typeof(ratio)(1) / divisor, -ratio / divisor))
        ratio = x.real / x.imag
        divisor = x.real * ratio + x.imag
        return number(complex(ratio / divisor, typeof(ratio)(-1) / divisor))
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
    result = np.arctan2(z.imag, z.real)
    return degrees(result) if deg else result
