"""Functions of `cuda.fp16`: float16 in, float16 or bool out, under either rules."""

import math

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import bitcast
from treadle.types import float16, float32, float64, int16


@provides("cuda.fp16.hadd")
def hadd(a, b):
    """a + b."""
    return float16(float16(a) + float16(b))


@provides("cuda.fp16.hsub")
def hsub(a, b):
    """a - b."""
    return float16(float16(a) - float16(b))


@provides("cuda.fp16.hmul")
def hmul(a, b):
    """a * b."""
    return float16(float16(a) * float16(b))


@provides("cuda.fp16.hdiv")
def hdiv(a, b):
    """a / b."""
    return float16(float16(a) / float16(b))


@provides("cuda.fp16.hfma")
def hfma(a, b, c):
    """a * b + c, rounded once.

    The product is exact in float64. The sum is, too, unless its operands are more than 2 ** 30 apart: then the larger
    one is the result, or beyond float16's range.
    """
    return float16(float64(float16(a)) * float64(float16(b)) + float64(float16(c)))


@provides("cuda.fp16.hneg")
def hneg(a):
    """-a."""
    return -float16(a)


@provides("cuda.fp16.habs")
def habs(a):
    """The absolute value."""
    return abs(float16(a))


@provides("cuda.fp16.hmax")
def hmax(a, b):
    """The larger operand that is not NaN. Operands that are equal differ in the sign of 0, if at all."""
    x, y = float16(a), float16(b)
    if x == y:
        return bitcast(bitcast(x, int16) & bitcast(y, int16), float16)
    return max(x, y)


@provides("cuda.fp16.hmin")
def hmin(a, b):
    """The smaller operand that is not NaN."""
    x, y = float16(a), float16(b)
    if x == y:
        return bitcast(bitcast(x, int16) | bitcast(y, int16), float16)
    return min(x, y)


@provides("cuda.fp16.heq")
def heq(a, b):
    """Whether a == b."""
    return float16(a) == float16(b)


@provides("cuda.fp16.hne")
def hne(a, b):
    """Whether a < b or a > b."""
    x, y = float16(a), float16(b)
    return x < y or x > y


@provides("cuda.fp16.hgt")
def hgt(a, b):
    """Whether a > b."""
    return float16(a) > float16(b)


@provides("cuda.fp16.hge")
def hge(a, b):
    """Whether a >= b."""
    return float16(a) >= float16(b)


@provides("cuda.fp16.hlt")
def hlt(a, b):
    """Whether a < b."""
    return float16(a) < float16(b)


@provides("cuda.fp16.hle")
def hle(a, b):
    """Whether a <= b."""
    return float16(a) <= float16(b)


@provides("cuda.fp16.hsin")
def hsin(a):
    """The sine."""
    return math.sin(float16(a))


@provides("cuda.fp16.hcos")
def hcos(a):
    """The cosine."""
    return math.cos(float16(a))


@provides("cuda.fp16.hlog")
def hlog(a):
    """The natural logarithm."""
    return math.log(float16(a))


@provides("cuda.fp16.hlog2")
def hlog2(a):
    """The logarithm to base 2."""
    return math.log2(float16(a))


@provides("cuda.fp16.hlog10")
def hlog10(a):
    """The logarithm to base 10."""
    return math.log10(float16(a))


@provides("cuda.fp16.hexp")
def hexp(a):
    """The power of e."""
    return math.exp(float16(a))


@provides("cuda.fp16.hexp2")
def hexp2(a):
    """The power of 2."""
    return float16(math.pow(float32(2), float32(float16(a))))


@provides("cuda.fp16.hexp10")
def hexp10(a):
    """The power of 10."""
    return float16(math.pow(float32(10), float32(float16(a))))


@provides("cuda.fp16.hsqrt")
def hsqrt(a):
    """The square root."""
    return math.sqrt(float16(a))


@provides("cuda.fp16.hrsqrt")
def hrsqrt(a):
    """1 / the square root."""
    return float16(float32(1) / math.sqrt(float32(float16(a))))


@provides("cuda.fp16.hrcp")
def hrcp(a):
    """1 / a."""
    return float16(float32(1) / float32(float16(a)))


@provides("cuda.fp16.hfloor")
def hfloor(a):
    """Rounded down."""
    return np.floor(float16(a))


@provides("cuda.fp16.hceil")
def hceil(a):
    """Rounded up."""
    return np.ceil(float16(a))


@provides("cuda.fp16.htrunc")
def htrunc(a):
    """Rounded towards 0."""
    return np.trunc(float16(a))


@provides("cuda.fp16.hrint")
def hrint(a):
    """Rounded to the nearest, the even one of two."""
    return np.rint(float16(a))
