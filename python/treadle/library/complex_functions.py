"""Python's `cmath`: functions of complex numbers, with the special values and branch cuts of C's Annex G.

A real argument is the complex number whose imaginary part is 0. complex64 is computed in float32 where that costs no
accuracy, in the exponential functions, and in float64 elsewhere. Where CPython raises, the result is C's.
"""

import math

from treadle.library import provides
from treadle.library.compile_time import bitcast, math_float, typeof
from treadle.types import float32, float64, int64

# Beyond these exp() is computed in two factors: the result can be finite where exp() overflows.
_LARGE64, _EXP_LARGE64 = 709.0, math.exp(709.0)
_LARGE32, _EXP_LARGE32 = 88.0, math.exp(88.0)
# Where 1 is negligible next to abs(x), and sums of two parts of that size cannot overflow.
_HUGE = 1e300
_LN2 = math.log(2.0)


def _float_parts(z):
    """The parts of z in the float type of its functions."""
    number = math_float(z.real)
    return number(z.real), number(z.imag)


def _in_float64(function, z):
    """function(x, y) of both parts of z, as a complex number of z's type."""
    number = math_float(z.real)
    real, imag = function(float64(z.real), float64(z.imag))
    return complex(number(real), number(imag))


def _exp_factors(x):
    """(a, b) with exp(x) == a * b, b being 1 unless exp(x) could overflow."""
    if typeof(x) is float64:
        is_large = x > _LARGE64
        return math.exp(x - _LARGE64 if is_large else x), _EXP_LARGE64 if is_large else 1.0
    is_large = x > float32(_LARGE32)
    return math.exp(x - float32(_LARGE32) if is_large else x), float32(_EXP_LARGE32) if is_large else float32(1)


def _hyperbolic(x):
    """(c, s, f) with cosh(x) == c * f and sinh(x) == s * f, f being 1 unless cosh(x) could overflow."""
    number = typeof(x)
    limit = number(_LARGE64)
    if typeof(x) is float32:
        limit = number(_LARGE32)
    if abs(x) > limit:
        first, second = _exp_factors(abs(x))
        half = first * number(0.5)
        return half, math.copysign(half, x), second
    return math.cosh(x), math.sinh(x), number(1)


@provides("cmath.exp", "numpy.exp")
def exp(z):
    """e ** z."""
    x, y = _float_parts(z)
    number = typeof(x)
    first, second = _exp_factors(x)
    if y == 0:
        return complex(first * second, y)
    if math.isinf(x) and not math.isfinite(y):
        return complex(number(math.inf), number(math.nan)) if x > 0 else complex(number(0), number(0))
    return complex(first * math.cos(y) * second, first * math.sin(y) * second)


def _cosh(x, y):
    number = typeof(x)
    cosh_x, sinh_x, factor = _hyperbolic(x)
    if y == 0:
        return cosh_x * factor, math.copysign(number(1), x) * y
    if math.isinf(x) and not math.isfinite(y):
        return number(math.inf), number(math.nan)
    if x == 0 and not math.isfinite(y):
        return number(math.nan), number(0)
    return cosh_x * math.cos(y) * factor, sinh_x * math.sin(y) * factor


def _sinh(x, y):
    number = typeof(x)
    cosh_x, sinh_x, factor = _hyperbolic(x)
    if y == 0:
        return sinh_x * factor, y
    if not math.isfinite(y) and (x == 0 or math.isinf(x)):
        return x, number(math.nan)
    return sinh_x * math.cos(y) * factor, cosh_x * math.sin(y) * factor


def _tanh(x, y):
    number = typeof(x)
    if y == 0:
        return math.tanh(x), y
    if not math.isfinite(y) and (x == 0 or math.isinf(x)):
        return math.copysign(number(1), x) if x != 0 else x, number(0) if x != 0 else number(math.nan)
    limit = number(20)
    if typeof(x) is float32:
        limit = number(10)
    if abs(x) > limit:
        if not math.isfinite(y):
            return number(math.nan), number(math.nan)
        # tanh(x) is 1. In factors, as exp(-2 * abs(x)) is subnormal before the product is.
        half = math.exp(-abs(x))
        return math.copysign(number(1), x), half * (number(4) * math.sin(y) * math.cos(y)) * half
    real, imag, inverse = math.tanh(x), math.tan(y), number(1) / math.cosh(x)
    product = real * imag
    divisor = number(1) + product * product
    return real * (number(1) + imag * imag) / divisor, imag / divisor * inverse * inverse


@provides("cmath.cosh", "numpy.cosh")
def cosh(z):
    """The hyperbolic cosine."""
    x, y = _float_parts(z)
    real, imag = _cosh(x, y)
    return complex(real, imag)


@provides("cmath.sinh", "numpy.sinh")
def sinh(z):
    """The hyperbolic sine."""
    x, y = _float_parts(z)
    real, imag = _sinh(x, y)
    return complex(real, imag)


@provides("cmath.tanh", "numpy.tanh")
def tanh(z):
    """The hyperbolic tangent."""
    x, y = _float_parts(z)
    real, imag = _tanh(x, y)
    return complex(real, imag)


@provides("cmath.cos", "numpy.cos")
def cos(z):
    """The cosine."""
    x, y = _float_parts(z)
    real, imag = _cosh(-y, x)
    return complex(real, imag)


@provides("cmath.sin", "numpy.sin")
def sin(z):
    """The sine."""
    x, y = _float_parts(z)
    real, imag = _sinh(-y, x)
    return complex(imag, -real)


@provides("cmath.tan", "numpy.tan")
def tan(z):
    """The tangent."""
    x, y = _float_parts(z)
    real, imag = _tanh(-y, x)
    return complex(imag, -real)


def _sqrt(x, y):
    """Of float64s."""
    if math.isinf(y):
        return math.inf, y
    if math.isinf(x):
        apart = y if math.isnan(y) else math.copysign(0.0, y)
        return (x, apart) if x > 0 else (abs(apart), math.copysign(math.inf, y))
    if x == 0 and y == 0:
        return 0.0, y
    if math.isnan(x) or math.isnan(y):
        return math.nan, math.nan
    width, height = abs(x), abs(y)
    # Powers of 4 that keep the sum below from overflow and the operands from becoming subnormal.
    largest = max(width, height)
    scale, root = 1.0, 1.0
    if largest > 1e300:
        scale, root = 2.0**-4, 2.0**2
    elif largest < 1e-290:
        scale, root = 2.0**108, 2.0**-54
    width *= scale
    height *= scale
    half = math.sqrt(0.5 * (width + math.hypot(width, height)))
    # The other part from the unscaled one: it may be subnormal where this is not.
    one = half * root
    other = height / (half + half) * root
    return (one, math.copysign(other, y)) if x >= 0 else (other, math.copysign(one, y))


def _upper_half(x):
    """x rounded to 26 bits, so that 26 bits and a sign hold the rest."""
    return bitcast((bitcast(x, int64) + 0x4000000) & ~0x7FFFFFF, float64)


def _sum(a, b):
    """(a + b rounded, what it lacks)."""
    rounded = a + b
    taken = rounded - a
    return rounded, (a - (rounded - taken)) + (b - taken)


def _log_abs(x, y):
    """log(hypot(x, y)) of float64s."""
    larger, smaller = max(abs(x), abs(y)), min(abs(x), abs(y))
    if math.isnan(x) or math.isnan(y):
        return math.inf if math.isinf(x) or math.isinf(y) else math.nan
    if larger > 1e300 and not math.isinf(larger):
        return math.log(math.hypot(larger * 0.25, smaller * 0.25)) + 2.0 * _LN2
    if larger < 1e-290:
        return math.log(math.hypot(larger * 2.0**200, smaller * 2.0**200)) - 200.0 * _LN2
    if larger > 1.75 or larger < 0.5:
        return math.log(math.hypot(larger, smaller))
    # x * x + y * y - 1, which may cancel: from operands in two halves, whose products are exact, fused or not.
    large_high, small_high = _upper_half(larger), _upper_half(smaller)
    large_low, small_low = larger - large_high, smaller - small_high
    high = (large_high * large_high - 1.0) + small_high * small_high
    one, one_rest = _sum(high, 2.0 * large_high * large_low)
    both, both_rest = _sum(one, 2.0 * small_high * small_low)
    low, low_rest = _sum(large_low * large_low, small_low * small_low)
    return 0.5 * math.log1p((both + low) + (one_rest + both_rest + low_rest))


def _log(x, y):
    return _log_abs(x, y), math.atan2(y, x)


@provides("cmath.sqrt", "numpy.sqrt")
def sqrt(z):
    """The square root with a real part that is not negative; the branch cut is the negative real axis."""
    return _in_float64(_sqrt, z)


@provides("cmath.log", "numpy.log")
def log(z, base=None):
    """The natural logarithm, or that to the given base; the branch cut is the negative real axis."""
    number = math_float(z.real)
    real, imag = _log(float64(z.real), float64(z.imag))
    if base is None:
        return complex(number(real), number(imag))
    base_real, base_imag = _log(float64(base.real), float64(base.imag))
    quotient = complex(real, imag) / complex(base_real, base_imag)
    both = math_float(z.real, base.real)
    return complex(both(quotient.real), both(quotient.imag))


@provides("cmath.log10", "numpy.log10")
def log10(z):
    """The logarithm to base 10."""
    number = math_float(z.real)
    real, imag = _log(float64(z.real), float64(z.imag))
    return complex(number(real / math.log(10.0)), number(imag / math.log(10.0)))


@provides("numpy.log2")
def log2(z):
    """The logarithm to base 2."""
    number = math_float(z.real)
    real, imag = _log(float64(z.real), float64(z.imag))
    return complex(number(real / _LN2), number(imag / _LN2))


def _is_huge(x, y):
    """Whether a part is huge, infinities included."""
    return abs(x) > _HUGE or abs(y) > _HUGE


def _acos(x, y):
    """Of float64s, by Kahan's formulas, as all inverse functions here."""
    if _is_huge(x, y):
        return math.atan2(abs(y), x), math.copysign(_log_abs(x, y) + _LN2, -y)
    if x == 0 and math.isnan(y):
        return math.pi / 2, y
    below_real, below_imag = _sqrt(1.0 - x, -y)
    above_real, above_imag = _sqrt(1.0 + x, y)
    imag = math.asinh(above_real * below_imag - above_imag * below_real)
    return 2.0 * math.atan2(below_real, above_real), imag


def _acosh(x, y):
    if _is_huge(x, y):
        return _log_abs(x, y) + _LN2, math.atan2(y, x)
    below_real, below_imag = _sqrt(x - 1.0, y)
    above_real, above_imag = _sqrt(x + 1.0, y)
    real = math.asinh(below_real * above_real + below_imag * above_imag)
    if x == 0 and math.isnan(y):
        return y, math.pi / 2
    return real, 2.0 * math.atan2(below_imag, above_real)


def _asinh(x, y):
    if _is_huge(x, y):
        return math.copysign(_log_abs(x, y) + _LN2, x), math.atan2(y, abs(x))
    if y == 0 and math.isnan(x):
        return x, y
    above_real, above_imag = _sqrt(1.0 + y, -x)
    below_real, below_imag = _sqrt(1.0 - y, x)
    real = math.asinh(above_real * below_imag - below_real * above_imag)
    return real, math.atan2(y, above_real * below_real - above_imag * below_imag)


def _atanh(x, y):
    """Odd: computed where x is not negative."""
    width, height = abs(x), abs(y)
    if math.isinf(x) or math.isinf(y):
        return math.copysign(0.0, x), y if math.isnan(y) else math.copysign(math.pi / 2, y)
    if math.isnan(x) or math.isnan(y):
        return x if x == 0 else math.nan, math.nan
    if width > 1e150 or height > 1e150:
        # In factors, as the square could overflow.
        half = math.hypot(width * 0.5, height * 0.5)
        return math.copysign(width * 0.25 / half / half, x), math.copysign(math.pi / 2, y)
    if width == 1.0 and height < 1e-150:
        if height == 0:
            return math.copysign(math.inf, x), y
        real = -math.log(math.sqrt(height) / math.sqrt(math.hypot(height, 2.0)))
        return math.copysign(real, x), math.copysign(math.atan2(2.0, -height) * 0.5, y)
    real = math.log1p(4.0 * width / ((1.0 - width) * (1.0 - width) + height * height)) * 0.25
    imag = math.atan2(2.0 * height, (1.0 - width) * (1.0 + width) - height * height) * 0.5
    # On the cut, the sign of a zero tells the side, including that of x.
    return math.copysign(real, x), math.copysign(imag, y)


@provides("cmath.acos", "numpy.arccos")
def acos(z):
    """The inverse cosine; the branch cuts run along the real axis from 1 and -1 outwards."""
    return _in_float64(_acos, z)


@provides("cmath.acosh", "numpy.arccosh")
def acosh(z):
    """The inverse hyperbolic cosine; the branch cut is the real axis below 1."""
    return _in_float64(_acosh, z)


@provides("cmath.asinh", "numpy.arcsinh")
def asinh(z):
    """The inverse hyperbolic sine; the branch cuts run along the imaginary axis from 1j and -1j outwards."""
    return _in_float64(_asinh, z)


@provides("cmath.atanh", "numpy.arctanh")
def atanh(z):
    """The inverse hyperbolic tangent; the branch cuts run along the real axis from 1 and -1 outwards."""
    return _in_float64(_atanh, z)


@provides("cmath.asin", "numpy.arcsin")
def asin(z):
    """The inverse sine; the branch cuts are those of acos()."""
    number = math_float(z.real)
    real, imag = _asinh(-float64(z.imag), float64(z.real))
    return complex(number(imag), number(-real))


@provides("cmath.atan", "numpy.arctan")
def atan(z):
    """The inverse tangent; the branch cuts are those of asinh()."""
    number = math_float(z.real)
    real, imag = _atanh(-float64(z.imag), float64(z.real))
    return complex(number(imag), number(-real))


@provides("cmath.phase")
def phase(z):
    """The angle, from -pi to pi."""
    x, y = _float_parts(z)
    return math.atan2(y, x)


@provides("cmath.polar")
def polar(z):
    """(distance from 0, angle)."""
    x, y = _float_parts(z)
    return math.hypot(x, y), math.atan2(y, x)


@provides("cmath.rect")
def rect(r, phi):
    """The complex number at that distance from 0 and that angle."""
    number = math_float(r, phi)
    distance, angle = number(r), number(phi)
    if angle == 0:
        return complex(distance, math.copysign(number(1), distance) * angle)
    if not math.isfinite(angle):
        if distance == 0:
            return complex(number(0), number(0))
        if math.isinf(distance):
            return complex(number(math.inf), number(math.nan))
    return complex(distance * math.cos(angle), distance * math.sin(angle))


@provides("cmath.isfinite", "numpy.isfinite")
def isfinite(z):
    """Whether both parts are finite."""
    return math.isfinite(z.real) and math.isfinite(z.imag)


@provides("cmath.isinf", "numpy.isinf")
def isinf(z):
    """Whether a part is infinite."""
    return math.isinf(z.real) or math.isinf(z.imag)


@provides("cmath.isnan", "numpy.isnan")
def isnan(z):
    """Whether a part is NaN."""
    return math.isnan(z.real) or math.isnan(z.imag)


@provides("cmath.isclose")
def isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    """Whether the distance of a and b is at most the larger of `abs_tol` and `rel_tol` times the larger of them."""
    x, y = complex(a), complex(b)
    if x == y:
        return True
    if isinf(x) or isinf(y):
        return False
    return abs(x - y) <= max(rel_tol * max(abs(x), abs(y)), abs_tol)
