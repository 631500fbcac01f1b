"""Functions of one element for NumPy's ufuncs on floats. All compute in the type of their operands."""

import math

import numpy

from treadle import cuda
from treadle.types import float16
from treadle.ufuncs.integer_functions import absolute, minus, negative, plus, same, square, times
from treadle.ufuncs.marks import narrow, per_type


def _of_one(function):
    """A function that kernels have as a function of one element."""
    return narrow(lambda x: function(x))


def _of_two(function):
    return narrow(lambda x, y: function(x, y))


@narrow
def divide(x, y):
    return x / y


def floor_divide(x, y):
    return x // y


@narrow
def remainder(x, y):
    return x % y


def divmod_(x, y):
    return x // y, x % y


@narrow
def fmod(x, y):
    return math.fmod(x, y)


@narrow
def power(x, y):
    return math.pow(x, y)


@narrow
def arctan2(x, y):
    return math.atan2(x, y)


@narrow
def hypot(x, y):
    return math.hypot(x, y)


@narrow
def copysign(x, y):
    return math.copysign(x, y)


# Of zeros the second, as NumPy's vector code on x86.


def maximum(x, y):
    return x if x > y or x != x else y


def minimum(x, y):
    return x if x < y or x != x else y


def fmax(x, y):
    return x if x > y or y != y else y


def fmin(x, y):
    return x if x < y or y != y else y


@narrow
def reciprocal(x):
    return 1.0 / x


@narrow
def sign(x):
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else (0.0 if x == 0.0 else x))


@narrow
def rint(x):
    below = math.floor(x)
    rest = x - below
    rises = rest > 0.5 or (rest == 0.5 and math.fmod(below, 2.0) != 0.0)
    return math.copysign(below + 1.0 if rises else below, x)


@narrow
def modf(x):
    whole = math.trunc(x)
    part = 0.0 if math.isinf(x) else x - whole
    return math.copysign(part, x), math.copysign(whole, x)


@narrow
def clip(x, low, high):
    limited = x if x >= low or x != x else low
    return limited if limited <= high or limited != limited else high


def _computed(dtype):
    """The type that NumPy computes with: halves as float32."""
    return numpy.float32 if dtype.itemsize == 2 else dtype.type


@per_type
def degrees(dtype):
    number = _computed(dtype)
    factor = number(180) / number(numpy.pi)
    return lambda x: x * factor


@per_type
def radians(dtype):
    number = _computed(dtype)
    factor = number(numpy.pi) / number(180)
    return lambda x: x * factor


@per_type
def spacing(dtype):
    # NumPy's distance of halves is to the next larger number, also of a negative one.
    if dtype.itemsize == 2:
        return lambda x: x - x if math.isinf(x) or x != x else math.nextafter(x, float16(math.inf)) - x
    return lambda x: numpy.spacing(x)


FUNCTIONS = {
    "absolute": {"f": absolute},
    "add": {"f": plus},
    "arccos": {"f": _of_one(math.acos)},
    "arccosh": {"f": _of_one(math.acosh)},
    "arcsin": {"f": _of_one(math.asin)},
    "arcsinh": {"f": _of_one(math.asinh)},
    "arctan": {"f": _of_one(math.atan)},
    "arctan2": {"f": arctan2},
    "arctanh": {"f": _of_one(math.atanh)},
    "cbrt": {"f": _of_one(cuda.cbrt)},
    "ceil": {"f": _of_one(math.ceil)},
    "clip": {"f": clip},
    "conjugate": {"f": same},
    "copysign": {"f": copysign},
    "cos": {"f": _of_one(math.cos)},
    "cosh": {"f": _of_one(math.cosh)},
    "deg2rad": {"f": radians},
    "degrees": {"f": degrees},
    "divide": {"f": divide},
    "divmod": {"f": divmod_},
    "exp": {"f": _of_one(math.exp)},
    "exp2": {"f": _of_one(numpy.exp2)},
    "expm1": {"f": _of_one(math.expm1)},
    "fabs": {"f": absolute},
    "float_power": {"f": power},
    "floor": {"f": _of_one(math.floor)},
    "floor_divide": {"f": floor_divide},
    "fmax": {"f": fmax},
    "fmin": {"f": fmin},
    "fmod": {"f": fmod},
    "frexp": {"f": _of_one(math.frexp)},
    "heaviside": {"f": _of_two(numpy.heaviside)},
    "hypot": {"f": hypot},
    "isfinite": {"f": _of_one(math.isfinite)},
    "isinf": {"f": _of_one(math.isinf)},
    "isnan": {"f": _of_one(math.isnan)},
    "ldexp": {"f": _of_two(math.ldexp)},
    "log": {"f": _of_one(math.log)},
    "log10": {"f": _of_one(math.log10)},
    "log1p": {"f": _of_one(math.log1p)},
    "log2": {"f": _of_one(math.log2)},
    "logaddexp": {"f": _of_two(numpy.logaddexp)},
    "logaddexp2": {"f": _of_two(numpy.logaddexp2)},
    "maximum": {"f": maximum},
    "minimum": {"f": minimum},
    "modf": {"f": modf},
    "multiply": {"f": times},
    "negative": {"f": negative},
    "nextafter": {"f": lambda x, y: math.nextafter(x, y)},  # of equal zeros the second
    "power": {"f": power},
    "rad2deg": {"f": degrees},
    "radians": {"f": radians},
    "reciprocal": {"f": reciprocal},
    "remainder": {"f": remainder},
    "rint": {"f": rint},
    "sign": {"f": sign},
    "signbit": {"f": _of_one(numpy.signbit)},
    "sin": {"f": _of_one(math.sin)},
    "sinh": {"f": _of_one(math.sinh)},
    "spacing": {"f": spacing},
    "sqrt": {"f": _of_one(math.sqrt)},
    "square": {"f": square},
    "subtract": {"f": minus},
    "tan": {"f": _of_one(math.tan)},
    "tanh": {"f": _of_one(math.tanh)},
    "trunc": {"f": _of_one(math.trunc)},
}
