"""Functions of one and of two numbers, in plain Python. Some have names of built-in functions."""

import math
from math import exp


def abs(x: float) -> float:
    return x if x >= 0 else -x


def cube(x):
    return x**3


def cosine(x):
    return math.cos(x)


def reciprocal(x):
    return 1 / x


def softplus(x: float) -> float:
    """log(1 + exp(x)), without large powers."""
    if x > 0:
        return x + math.log1p(exp(-x))
    return math.log1p(exp(x))


def step(x):
    return 1.0 if x > 0 else 0.0


def is_whole(x) -> bool:
    return x == math.floor(x)


def plus(x, y):
    return x + y


def times(x, y):
    return x * y


def min(x: float, y: float) -> float:
    return y if y < x else x


def above(x, y):
    return x > y


def agrees(x, y):
    return -0.25 < x - y < 0.25


def distance(x, y):
    return math.hypot(x, y)


def portion(x, y):
    return x / (x + y)


def latest(x, y):
    """The later of two numbers that is no zero: in any grouping the same, but not in any order."""
    if y != 0:
        return y
    return x


def scaled_by(factor):
    """A function of one number that multiplies by `factor`."""

    def scaled(x):
        return factor * x

    return scaled


def mixture(weight):
    """A function of two numbers: their mean with weights `weight` and the rest."""
    rest = 1 - weight
    return lambda x, y: weight * x + rest * y
