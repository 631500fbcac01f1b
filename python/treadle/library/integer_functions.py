"""Functions of integers in Python's `math`. All are computed in 64 bits and wrap where a result has more."""

import math

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import refuse, typeof
from treadle.types import float64, int64, uint64


def magnitude(n):
    """abs(n) as uint64, which holds that of the least int64, too."""
    if isinstance(n, np.unsignedinteger):
        return uint64(n)
    return uint64(abs(int64(n)))


def _common_divisor(x, y):
    """Of uint64s."""
    while y != 0:
        x, y = y, x % y
    return x


def _common_multiple(x, y):
    divisor = _common_divisor(x, y)
    return x // divisor * y if divisor != 0 else divisor


@provides("math.gcd")
@provides("numpy.gcd", elementwise=True)
def gcd(a, b):
    """The greatest common divisor of two integers, not negative: int64, or uint64 if one of them is."""
    if not isinstance(a, int) or not isinstance(b, int):
        refuse("the arguments of gcd() must be integers")
    divisor = _common_divisor(magnitude(a), magnitude(b))
    if typeof(a) is uint64 or typeof(b) is uint64:
        return divisor
    return int64(divisor)


@provides("math.lcm")
@provides("numpy.lcm", elementwise=True)
def lcm(a, b):
    """The least common multiple of two integers, not negative: int64, or uint64 if one of them is; 0 if one is 0."""
    if not isinstance(a, int) or not isinstance(b, int):
        refuse("the arguments of lcm() must be integers")
    multiple = _common_multiple(magnitude(a), magnitude(b))
    if typeof(a) is uint64 or typeof(b) is uint64:
        return multiple
    return int64(multiple)


@provides("math.isqrt")
def isqrt(n):
    """The largest integer whose square is at most n; 0 for negative ones."""
    if not isinstance(n, int):
        refuse("the argument of math.isqrt() must be an integer")
    value = uint64(n)
    if n <= 0:
        return int64(0)
    root = min(uint64(math.sqrt(float64(value))), uint64(4294967295))
    if root * root > value:
        root -= uint64(1)
    elif root < uint64(4294967295) and (root + uint64(1)) * (root + uint64(1)) <= value:
        root += uint64(1)
    return int64(root)


@provides("math.factorial")
def factorial(n):
    """The product of 1 to n; 0 for negative n, and the lowest 64 bits beyond 20."""
    if not isinstance(n, int):
        refuse("the argument of math.factorial() must be an integer")
    # From 66! on the lowest 64 bits are 0.
    last = min(int64(n), int64(66))
    product = int64(1) if last >= 0 else int64(0)
    for factor in range(int64(2), last + int64(1)):
        product *= int64(factor)
    return product


@provides("math.comb")
def comb(n, k):
    """In how many ways k of n things can be chosen; 0 if a number is negative. Exact if it fits in 64 bits."""
    if not isinstance(n, int) or not isinstance(k, int):
        refuse("the arguments of math.comb() must be integers")
    things, chosen = int64(n), int64(k)
    if chosen < 0 or chosen > things:
        return int64(0)
    ways = uint64(1)
    for step in range(int64(1), min(chosen, things - chosen) + int64(1)):
        # Divided before it is multiplied: no product is larger than a result.
        divisor = uint64(step)
        common = _common_divisor(ways, divisor)
        ways = ways // common * (uint64(things - int64(step) + int64(1)) // (divisor // common))
    return int64(ways)


@provides("math.perm")
def perm(n, k=None):
    """In how many ways k of n things, or all, can be put in a row; 0 if one of the numbers is negative."""
    if k is None:
        return factorial(n)
    if not isinstance(n, int) or not isinstance(k, int):
        refuse("the arguments of math.perm() must be integers")
    things, chosen = int64(n), int64(k)
    ways = int64(1) if chosen >= 0 and chosen <= things else int64(0)
    for step in range(chosen):
        # Most likely it has overflowed if it is 0, and stays so.
        if ways == 0:
            break
        ways *= things - int64(step)
    return ways
