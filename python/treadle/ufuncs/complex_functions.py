"""Functions of one element for NumPy's ufuncs on complex numbers.

Most are those of `cmath`, which are written in `treadle.library`.
"""

import cmath
import math

from treadle import cuda
from treadle.ufuncs.integer_functions import equal, minus, negative, not_equal, plus, same, times

_LN2 = math.log(2.0)


def _device(function):
    return cuda.jit(function, device=True)


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


def _of(function):
    """A function of `cmath` as a function of one element."""
    return lambda x: function(x)


def exp2(x):
    return cmath.exp(x * _LN2)


def log2(x):
    return cmath.log(x) / _LN2


def expm1(x):
    a, b = float(x.real), float(x.imag)
    half = math.sin(b * 0.5)
    return complex(math.expm1(a) * math.cos(b) - 2.0 * half * half, math.exp(a) * math.sin(b))


def log1p(x):
    a, b = float(x.real), float(x.imag)
    if abs(a) < 0.5 and abs(b) < 0.5:
        return complex(0.5 * math.log1p(2.0 * a + (a * a + b * b)), math.atan2(b, a + 1.0))
    return cmath.log(complex(a + 1.0, b))


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
    return cmath.exp(complex(c, d) * cmath.log(complex(a, b)))


FUNCTIONS = {
    "absolute": {"c": absolute},
    "add": {"c": plus},
    "arccos": {"c": _of(cmath.acos)},
    "arccosh": {"c": _of(cmath.acosh)},
    "arcsin": {"c": _of(cmath.asin)},
    "arcsinh": {"c": _of(cmath.asinh)},
    "arctan": {"c": _of(cmath.atan)},
    "arctanh": {"c": _of(cmath.atanh)},
    "conjugate": {"c": conjugate},
    "cos": {"c": _of(cmath.cos)},
    "cosh": {"c": _of(cmath.cosh)},
    "divide": {"c": divide},
    "equal": {"c": equal},
    "exp": {"c": _of(cmath.exp)},
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
    "log": {"c": _of(cmath.log)},
    "log10": {"c": _of(cmath.log10)},
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
    "sin": {"c": _of(cmath.sin)},
    "sinh": {"c": _of(cmath.sinh)},
    "sqrt": {"c": _of(cmath.sqrt)},
    "square": {"c": square},
    "subtract": {"c": minus},
    "tan": {"c": _of(cmath.tan)},
    "tanh": {"c": _of(cmath.tanh)},
}
