"""Functions of one element for NumPy's ufuncs on floats. All compute in the type of their operands."""

import math

import numpy

from treadle import cuda
from treadle.types import float32
from treadle.ufuncs.integer_functions import absolute, minus, negative, plus, same, square, times
from treadle.ufuncs.marks import narrow, per_type

_LN2 = 0.6931471805599453


def _of_one(function):
    """The function of `math` or `cuda` as a function of one element."""
    return narrow(lambda x: function(x))


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
def heaviside(x, y):
    if x != x:
        return x
    return y if x == 0.0 else (0.0 if x < 0.0 else 1.0)


@narrow
def reciprocal(x):
    return 1.0 / x


@narrow
def sign(x):
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else (0.0 if x == 0.0 else x))


@narrow
def signbit(x):
    return math.copysign(1.0, x) < 0.0


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
def exp2(x):
    return math.pow(2.0, x)


@narrow
def logaddexp(x, y):
    if x == y:
        return x + _LN2
    apart = x - y
    if apart > 0.0:
        return x + math.log1p(math.exp(-apart))
    if apart <= 0.0:
        return y + math.log1p(math.exp(apart))
    return apart


@narrow
def logaddexp2(x, y):
    if x == y:
        return x + 1.0
    apart = x - y
    if apart > 0.0:
        return x + math.log1p(math.pow(2.0, -apart)) / _LN2
    if apart <= 0.0:
        return y + math.log1p(math.pow(2.0, apart)) / _LN2
    return apart


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


class _Format:
    """The bits of a float type, and device functions between them and values."""

    def __init__(self, dtype):
        self.fraction_bits = numpy.finfo(dtype).nmant
        self.exponents = 2 ** (8 * dtype.itemsize - 1 - self.fraction_bits) - 1  # of infinities and NaN
        self.bias = self.exponents // 2
        both = numpy.dtype(
            {"names": ["value", "bits"], "formats": [dtype, f"i{dtype.itemsize}"], "offsets": [0, 0], "itemsize": 8}
        )

        @cuda.jit(device=True)
        def bits_of(x):
            word = cuda.local.array(1, both)
            word[0].value = x
            return word[0].bits

        @cuda.jit(device=True)
        def value_of(bits):
            word = cuda.local.array(1, both)
            word[0].bits = bits
            return word[0].value

        self.bits_of = bits_of
        self.value_of = value_of


@per_type
def frexp(dtype):
    form = _Format(dtype)
    bits_of, value_of, shift, exponents, bias = (
        form.bits_of, form.value_of, form.fraction_bits, form.exponents, form.bias,
    )  # fmt: skip
    scale, scale_bits = dtype.type(2.0 ** (shift + 2)), shift + 2
    field = exponents << shift

    def frexp_(x):
        lifted, lifted_by = x, 0
        bits = bits_of(x)
        if bits & field == 0:
            lifted, lifted_by = x * scale, scale_bits
            bits = bits_of(lifted)
        exponent = (bits & field) >> shift
        if x == 0 or exponent == exponents:
            return x, 0
        return value_of((bits & ~field) | ((bias - 1) << shift)), exponent - (bias - 1) - lifted_by

    return frexp_


@per_type
def ldexp(dtype):
    if dtype.itemsize == 2:
        wide = cuda.jit(ldexp.function_for(numpy.dtype("f4")), device=True)
        return lambda x, power: wide(float32(x), power)
    form = _Format(dtype)
    value_of, shift, bias = form.value_of, form.fraction_bits, form.bias
    split = cuda.jit(frexp.function_for(dtype), device=True)
    # Beyond these all results are infinite or zero.
    most = bias + bias // 4
    most_given = 2 * most + shift + bias

    def ldexp_(x, power):
        fraction, exponent = split(x)
        given = min(max(power, -most_given), most_given)
        total = min(max(exponent + given, -most), most)
        # The first product is exact, so the result is rounded once.
        first = total // 2
        return fraction * value_of((first + bias) << shift) * value_of((total - first + bias) << shift)

    return ldexp_


@per_type
def nextafter(dtype):
    form = _Format(dtype)
    bits_of, value_of = form.bits_of, form.value_of
    keeps_first = dtype.itemsize == 2  # of zeros NumPy's for halves

    def nextafter_(x, y):
        if x != x or y != y:
            return x + y
        if x == y:
            return x if keeps_first else y
        if x == 0:
            return math.copysign(value_of(1), y)
        return value_of(bits_of(x) + 1) if (x < y) == (x > 0) else value_of(bits_of(x) - 1)

    return nextafter_


@per_type
def spacing(dtype):
    form = _Format(dtype)
    bits_of, value_of = form.bits_of, form.value_of

    def spacing_(x):
        if math.isinf(x) or x != x:
            return x - x
        return value_of(1) if x == 0 else value_of(bits_of(x) + 1) - x

    def spacing_of_half(x):
        if math.isinf(x) or x != x:
            return x - x
        # NumPy's: to the next larger number, also of a negative one.
        return value_of(1) if x == 0 else value_of(bits_of(x) + (1 if x > 0 else -1)) - x

    return spacing_of_half if dtype.itemsize == 2 else spacing_


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
    "exp2": {"f": exp2},
    "expm1": {"f": _of_one(math.expm1)},
    "fabs": {"f": absolute},
    "float_power": {"f": power},
    "floor": {"f": _of_one(math.floor)},
    "floor_divide": {"f": floor_divide},
    "fmax": {"f": fmax},
    "fmin": {"f": fmin},
    "fmod": {"f": fmod},
    "frexp": {"f": frexp},
    "heaviside": {"f": heaviside},
    "hypot": {"f": hypot},
    "isfinite": {"f": _of_one(math.isfinite)},
    "isinf": {"f": _of_one(math.isinf)},
    "isnan": {"f": _of_one(math.isnan)},
    "ldexp": {"f": ldexp},
    "log": {"f": _of_one(math.log)},
    "log10": {"f": _of_one(math.log10)},
    "log1p": {"f": _of_one(math.log1p)},
    "log2": {"f": _of_one(math.log2)},
    "logaddexp": {"f": logaddexp},
    "logaddexp2": {"f": logaddexp2},
    "maximum": {"f": maximum},
    "minimum": {"f": minimum},
    "modf": {"f": modf},
    "multiply": {"f": times},
    "negative": {"f": negative},
    "nextafter": {"f": nextafter},
    "power": {"f": power},
    "rad2deg": {"f": degrees},
    "radians": {"f": radians},
    "reciprocal": {"f": reciprocal},
    "remainder": {"f": remainder},
    "rint": {"f": rint},
    "sign": {"f": sign},
    "signbit": {"f": signbit},
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
