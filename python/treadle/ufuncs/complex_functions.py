"""Functions of one element for NumPy's ufuncs on complex numbers that kernels lack, or compute otherwise."""

import cmath
import math

import numpy

from treadle.kernels.jit import jit

_LN2 = math.log(2.0)


def divide(x, y):
    """By Smith's formula, as NumPy."""
    if abs(y.real) >= abs(y.imag):
        if y.real == 0.0 and y.imag == 0.0:
            return complex(x.real / abs(y.real), x.imag / abs(y.real))
        ratio = y.imag / y.real
        scale = 1.0 / (y.real + y.imag * ratio)
        return complex((x.real + x.imag * ratio) * scale, (x.imag - x.real * ratio) * scale)
    ratio = y.real / y.imag
    scale = 1.0 / (y.imag + y.real * ratio)
    return complex((x.real * ratio + x.imag) * scale, (x.imag * ratio - x.real) * scale)


_divide = jit(divide, device=True)


def rint(x):
    return complex(numpy.rint(x.real), numpy.rint(x.imag))


@jit(device=True)
def _precedes(x, y):
    return (x.real < y.real and x.imag == x.imag and y.imag == y.imag) or (x.real == y.real and x.imag < y.imag)


def less(x, y):
    return _precedes(x, y)


def greater(x, y):
    return _precedes(y, x)


def less_equal(x, y):
    return _precedes(x, y) or x == y


def greater_equal(x, y):
    return _precedes(y, x) or x == y


def maximum(x, y):
    return x if cmath.isnan(x) or not (_precedes(x, y) or cmath.isnan(y)) else y


def minimum(x, y):
    return x if cmath.isnan(x) or not (_precedes(y, x) or cmath.isnan(y)) else y


def fmax(x, y):
    return x if cmath.isnan(y) or not (_precedes(x, y) or cmath.isnan(x)) else y


def fmin(x, y):
    return x if cmath.isnan(y) or not (_precedes(y, x) or cmath.isnan(x)) else y


def exp2(x):
    return cmath.exp(x * _LN2)


def expm1(x):
    a, b = float(x.real), float(x.imag)
    half = math.sin(b * 0.5)
    return complex(math.expm1(a) * math.cos(b) - 2.0 * half * half, math.exp(a) * math.sin(b))


def log1p(x):
    a, b = float(x.real), float(x.imag)
    if abs(a) < 0.5 and abs(b) < 0.5:
        return complex(0.5 * math.log1p(2.0 * a + (a * a + b * b)), math.atan2(b, a + 1.0))
    return cmath.log(complex(a + 1.0, b))


@jit(device=True)
def _whole_power(x, count):
    """By repeated squaring, as NumPy's."""
    result, left = complex(1.0, 0.0), abs(count)
    while left > 0:
        if left % 2 == 1:
            result = result * x
        x = x * x
        left = left // 2
    return _divide(complex(1.0, 0.0), result) if count < 0 else result


def power(x, y):
    a, b, c, d = float(x.real), float(x.imag), float(y.real), float(y.imag)
    if c == 0.0 and d == 0.0:
        return complex(1.0, 0.0)
    if a == 0.0 and b == 0.0:
        return complex(0.0, 0.0) if c > 0.0 else complex(math.nan, math.nan)
    if d == 0.0 and abs(c) < 100.0 and c == math.floor(c):
        return _whole_power(complex(a, b), int(c))
    return cmath.exp(complex(c, d) * cmath.log(complex(a, b)))


FUNCTIONS = {
    function.__name__: {"c": function}
    for function in (
        divide, exp2, expm1, fmax, fmin, greater, greater_equal, less, less_equal, log1p, maximum, minimum, power, rint,
    )
} | {"float_power": {"c": power}}  # fmt: skip
