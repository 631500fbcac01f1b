"""Functions of one element for NumPy's ufuncs on complex numbers.

Those that are more than arithmetic compute with float64 in either complex type. Infinities and NaN in one of the parts
give what the formulas make of them, which is not in every case what C's functions do.
"""

import math

from treadle import cuda
from treadle.ufuncs.integer_functions import equal, minus, negative, not_equal, plus, same, times

_LN2 = math.log(2.0)
_LN10 = math.log(10.0)
_HUGE = 2.0**500
"""Squares of larger parts are out of range."""


def _device(function):
    return cuda.jit(function, device=True)


# --- what the functions below are made of ----------------------------------------------------------------------------


@_device
def _log_of_size(x, y):
    """log(hypot(x, y)), accurate near 1 and without overflow."""
    size = math.hypot(x, y)
    if size > 0.5 and size < 2.0:
        a, b = max(abs(x), abs(y)), min(abs(x), abs(y))
        return 0.5 * math.log1p((a - 1.0) * (a + 1.0) + b * b)
    if size > 1e300:
        return math.log(math.hypot(x * 0.25, y * 0.25)) + 2.0 * _LN2
    if size < 1e-300 and size > 0.0:
        return math.log(math.hypot(x * _HUGE, y * _HUGE)) - 500.0 * _LN2
    return math.log(size)


@_device
def _root(x, y):
    """Both parts of the square root."""
    if x == 0.0 and y == 0.0:
        return 0.0, y
    if math.isinf(y):
        return math.inf, y
    scale, back = 1.0, 1.0
    if max(abs(x), abs(y)) > 1e300:
        scale, back = 0.0625, 4.0
    elif max(abs(x), abs(y)) < 1e-290:
        scale, back = 2.0**200, 2.0**-100
    a, b = x * scale, y * scale
    root = math.sqrt((abs(a) + math.hypot(a, b)) * 0.5)
    if a >= 0.0:
        return root * back, b / (2.0 * root) * back
    return abs(b) / (2.0 * root) * back, math.copysign(root * back, y)


@_device
def _exp(x, y):
    size = math.exp(x)
    if y == 0.0:
        return size, y
    if size == 0.0:
        return math.copysign(0.0, math.cos(y)), math.copysign(0.0, math.sin(y))
    if math.isinf(size) and x < 1000.0:
        # The parts can be in range where the size is not.
        half = math.exp(x * 0.5)
        return half * math.cos(y) * half, half * math.sin(y) * half
    return size * math.cos(y), size * math.sin(y)


@_device
def _sinh(x, y):
    if abs(x) > 709.0 and abs(x) < 1000.0:
        half = 0.5 * math.exp(abs(x) * 0.5)
        size = math.exp(abs(x) * 0.5)
        return math.copysign(half * math.cos(y) * size, math.cos(y) * x), half * math.sin(y) * size
    return math.sinh(x) * math.cos(y), math.cosh(x) * math.sin(y)


@_device
def _cosh(x, y):
    if abs(x) > 709.0 and abs(x) < 1000.0:
        half = 0.5 * math.exp(abs(x) * 0.5)
        size = math.exp(abs(x) * 0.5)
        return half * math.cos(y) * size, math.copysign(half * math.sin(y) * size, math.sin(y) * x)
    return math.cosh(x) * math.cos(y), math.sinh(x) * math.sin(y)


@_device
def _tanh(x, y):
    if abs(x) > 22.0:
        return math.copysign(1.0, x), 4.0 * math.sin(y) * math.cos(y) * math.exp(-2.0 * abs(x))
    tangent, sine = math.tan(y), math.sinh(x)
    spread = 1.0 + tangent * tangent
    below = 1.0 + spread * sine * sine
    return spread * math.sqrt(1.0 + sine * sine) * sine / below, tangent / below


@_device
def _asinh(x, y):
    if abs(x) > 1e150 or abs(y) > 1e150:
        return math.copysign(_log_of_size(x, y) + _LN2, x), math.atan2(y, abs(x))
    first, first_imag = _root(1.0 + y, -x)
    second, second_imag = _root(1.0 - y, x)
    return (
        math.asinh(first * second_imag - second * first_imag),
        math.atan2(y, first * second - first_imag * second_imag),
    )


@_device
def _acos(x, y):
    if abs(x) > 1e150 or abs(y) > 1e150:
        return math.atan2(abs(y), x), -math.copysign(_log_of_size(x, y) + _LN2, y)
    first, first_imag = _root(1.0 - x, -y)
    second, second_imag = _root(1.0 + x, y)
    return 2.0 * math.atan2(first, second), math.asinh(second * first_imag - second_imag * first)


@_device
def _acosh(x, y):
    if abs(x) > 1e150 or abs(y) > 1e150:
        return _log_of_size(x, y) + _LN2, math.atan2(y, x)
    first, first_imag = _root(x - 1.0, y)
    second, second_imag = _root(x + 1.0, y)
    return math.asinh(first * second + first_imag * second_imag), 2.0 * math.atan2(first_imag, second)


@_device
def _atanh(given, y):
    """Odd: computed where the real part is positive."""
    x, b = abs(given), y if math.copysign(1.0, given) > 0.0 else -y
    if x > 1e150 or abs(b) > 1e150:
        size = math.hypot(x * 0.5, b * 0.5)
        real, imag = x * 0.25 / size / size, math.copysign(math.pi / 2.0, b)
    elif x == 1.0 and abs(b) < 1e-150:
        if b == 0.0:
            real, imag = math.inf, b
        else:
            real = -math.log(math.sqrt(abs(b)) / math.sqrt(math.hypot(b, 2.0)))
            imag = math.copysign(math.atan2(2.0, -abs(b)) * 0.5, b)
    else:
        real = math.log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + b * b)) * 0.25
        imag = -math.atan2(-2.0 * b, (1.0 - x) * (1.0 + x) - b * b) * 0.5
    return math.copysign(real, given), imag if math.copysign(1.0, given) > 0.0 else -imag


@_device
def _quotient(a, b, c, d):
    """Both parts of (a + bi) / (c + di), by Smith's formula as NumPy."""
    if abs(c) >= abs(d):
        if c == 0.0 and d == 0.0:
            return a / abs(c), b / abs(c)
        ratio = d / c
        scale = 1.0 / (c + d * ratio)
        return (a + b * ratio) * scale, (b - a * ratio) * scale
    ratio = c / d
    scale = 1.0 / (d + c * ratio)
    return (a * ratio + b) * scale, (b * ratio - a) * scale


# --- the functions of elements ---------------------------------------------------------------------------------------


def divide(x, y):
    real, imag = _quotient(x.real, x.imag, y.real, y.imag)
    return complex(real, imag)


def reciprocal(x):
    if abs(x.imag) <= abs(x.real):
        ratio = x.imag / x.real
        below = x.real + x.imag * ratio
        return complex(1.0 / below, -ratio / below)
    ratio = x.real / x.imag
    below = x.real * ratio + x.imag
    return complex(ratio / below, -1.0 / below)


def conjugate(x):
    return complex(x.real, -x.imag)


def absolute(x):
    return math.hypot(x.real, x.imag)


def square(x):
    return complex(x.real * x.real - x.imag * x.imag, x.real * x.imag + x.imag * x.real)


def isnan(x):
    return math.isnan(x.real) or math.isnan(x.imag)


def isinf(x):
    return math.isinf(x.real) or math.isinf(x.imag)


def isfinite(x):
    return math.isfinite(x.real) and math.isfinite(x.imag)


def sign(x):
    a, b = float(x.real), float(x.imag)
    if math.isinf(a) != math.isinf(b):
        return complex(
            math.copysign(1.0, a) if math.isinf(a) else (b if b != b else 0.0),
            math.copysign(1.0, b) if math.isinf(b) else (a if a != a else 0.0),
        )
    size = math.hypot(a, b)
    return complex(0.0, 0.0) if size == 0.0 else complex(a / size, b / size)


@_device
def _even(x):
    below = math.floor(x)
    rest = float(x) - below
    rises = rest > 0.5 or (rest == 0.5 and below % 2 != 0)
    whole = float(below + 1 if rises else below)
    return x if abs(x) > 4503599627370496.0 or x != x else math.copysign(whole, x)


def rint(x):
    return complex(_even(x.real), _even(x.imag))


@_device
def _precedes(x, y):
    return (x.real < y.real and x.imag == x.imag and y.imag == y.imag) or (x.real == y.real and x.imag < y.imag)


def less(x, y):
    return _precedes(x, y)


def greater(x, y):
    return _precedes(y, x)


def less_equal(x, y):
    return _precedes(x, y) or (x.real == y.real and x.imag == y.imag)


def greater_equal(x, y):
    return _precedes(y, x) or (x.real == y.real and x.imag == y.imag)


@_device
def _is_nan(x):
    return x.real != x.real or x.imag != x.imag


def maximum(x, y):
    return x if _is_nan(x) or not (_precedes(x, y) or _is_nan(y)) else y


def minimum(x, y):
    return x if _is_nan(x) or not (_precedes(y, x) or _is_nan(y)) else y


def fmax(x, y):
    return x if _is_nan(y) or not (_precedes(x, y) or _is_nan(x)) else y


def fmin(x, y):
    return x if _is_nan(y) or not (_precedes(y, x) or _is_nan(x)) else y


@_device
def _is_true(x):
    return x.real != 0 or x.imag != 0


def logical_and(x, y):
    return _is_true(x) and _is_true(y)


def logical_or(x, y):
    return _is_true(x) or _is_true(y)


def logical_xor(x, y):
    return _is_true(x) != _is_true(y)


def logical_not(x):
    return not _is_true(x)


def sqrt(x):
    real, imag = _root(float(x.real), float(x.imag))
    return complex(real, imag)


def exp(x):
    real, imag = _exp(float(x.real), float(x.imag))
    return complex(real, imag)


def exp2(x):
    real, imag = _exp(x.real * _LN2, x.imag * _LN2)
    return complex(real, imag)


def expm1(x):
    a, b = float(x.real), float(x.imag)
    half = math.sin(b * 0.5)
    return complex(math.expm1(a) * math.cos(b) - 2.0 * half * half, math.exp(a) * math.sin(b))


def log(x):
    a, b = float(x.real), float(x.imag)
    return complex(_log_of_size(a, b), math.atan2(b, a))


def log2(x):
    a, b = float(x.real), float(x.imag)
    return complex(_log_of_size(a, b) / _LN2, math.atan2(b, a) / _LN2)


def log10(x):
    a, b = float(x.real), float(x.imag)
    return complex(_log_of_size(a, b) / _LN10, math.atan2(b, a) / _LN10)


def log1p(x):
    a, b = float(x.real), float(x.imag)
    if abs(a) < 0.5 and abs(b) < 0.5:
        return complex(0.5 * math.log1p(2.0 * a + (a * a + b * b)), math.atan2(b, a + 1.0))
    return complex(_log_of_size(a + 1.0, b), math.atan2(b, a + 1.0))


def sin(x):
    imag, real = _sinh(float(x.imag), float(x.real))
    return complex(real, imag)


def cos(x):
    real, imag = _cosh(float(x.imag), float(x.real))
    return complex(real, -imag)


def tan(x):
    imag, real = _tanh(float(x.imag), float(x.real))
    return complex(real, imag)


def sinh(x):
    real, imag = _sinh(float(x.real), float(x.imag))
    return complex(real, imag)


def cosh(x):
    real, imag = _cosh(float(x.real), float(x.imag))
    return complex(real, imag)


def tanh(x):
    real, imag = _tanh(float(x.real), float(x.imag))
    return complex(real, imag)


def arcsin(x):
    imag, real = _asinh(-float(x.imag), float(x.real))
    return complex(real, -imag)


def arccos(x):
    real, imag = _acos(float(x.real), float(x.imag))
    return complex(real, imag)


def arctan(x):
    imag, real = _atanh(-float(x.imag), float(x.real))
    return complex(real, -imag)


def arcsinh(x):
    real, imag = _asinh(float(x.real), float(x.imag))
    return complex(real, imag)


def arccosh(x):
    real, imag = _acosh(float(x.real), float(x.imag))
    return complex(real, imag)


def arctanh(x):
    real, imag = _atanh(float(x.real), float(x.imag))
    return complex(real, imag)


@_device
def _product(a, b, c, d):
    return a * c - b * d, a * d + b * c


@_device
def _whole_power(a, b, count):
    """By repeated squaring, as NumPy's."""
    real, imag, left = 1.0, 0.0, abs(count)
    while left > 0:
        if left % 2 == 1:
            real, imag = _product(real, imag, a, b)
        a, b = _product(a, b, a, b)
        left = left // 2
    if count < 0:
        return _quotient(1.0, 0.0, real, imag)
    return real, imag


def power(x, y):
    a, b, c, d = float(x.real), float(x.imag), float(y.real), float(y.imag)
    if c == 0.0 and d == 0.0:
        return complex(1.0, 0.0)
    if a == 0.0 and b == 0.0:
        return complex(0.0, 0.0) if c > 0.0 else complex(math.nan, math.nan)
    if d == 0.0 and abs(c) < 100.0 and c == math.floor(c):
        real, imag = _whole_power(a, b, int(c))
        return complex(real, imag)
    size, angle = _log_of_size(a, b), math.atan2(b, a)
    real, imag = _exp(c * size - d * angle, d * size + c * angle)
    return complex(real, imag)


FUNCTIONS = {
    "absolute": {"c": absolute},
    "add": {"c": plus},
    "arccos": {"c": arccos},
    "arccosh": {"c": arccosh},
    "arcsin": {"c": arcsin},
    "arcsinh": {"c": arcsinh},
    "arctan": {"c": arctan},
    "arctanh": {"c": arctanh},
    "conjugate": {"c": conjugate},
    "cos": {"c": cos},
    "cosh": {"c": cosh},
    "divide": {"c": divide},
    "equal": {"c": equal},
    "exp": {"c": exp},
    "exp2": {"c": exp2},
    "expm1": {"c": expm1},
    "float_power": {"c": power},
    "fmax": {"c": fmax},
    "fmin": {"c": fmin},
    "greater": {"c": greater},
    "greater_equal": {"c": greater_equal},
    "isfinite": {"c": isfinite},
    "isinf": {"c": isinf},
    "isnan": {"c": isnan},
    "less": {"c": less},
    "less_equal": {"c": less_equal},
    "log": {"c": log},
    "log10": {"c": log10},
    "log1p": {"c": log1p},
    "log2": {"c": log2},
    "logical_and": {"c": logical_and},
    "logical_not": {"c": logical_not},
    "logical_or": {"c": logical_or},
    "logical_xor": {"c": logical_xor},
    "maximum": {"c": maximum},
    "minimum": {"c": minimum},
    "multiply": {"c": times},
    "negative": {"c": negative},
    "not_equal": {"c": not_equal},
    "positive": {"c": same},
    "power": {"c": power},
    "reciprocal": {"c": reciprocal},
    "rint": {"c": rint},
    "sign": {"c": sign},
    "sin": {"c": sin},
    "sinh": {"c": sinh},
    "sqrt": {"c": sqrt},
    "square": {"c": square},
    "subtract": {"c": minus},
    "tan": {"c": tan},
    "tanh": {"c": tanh},
}
