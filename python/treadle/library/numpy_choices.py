"""NumPy's functions of numbers that choose or decide, which are functions of the elements of arrays, too.

Of equal numbers, zeros among them, they choose the second, as NumPy's vector code on x86.
"""

from treadle.library import provides


@provides("numpy.maximum", elementwise=True)
def maximum(x, y):
    """The larger of two numbers; NaN if one is NaN."""
    return x if x > y or x != x else y


@provides("numpy.minimum", elementwise=True)
def minimum(x, y):
    """The smaller of two numbers; NaN if one is NaN."""
    return x if x < y or x != x else y


@provides("numpy.clip", elementwise=True)
def clip(a, a_min, a_max):
    """The larger of `a` and `a_min`, or if that is smaller `a_max`; NaN if one is NaN. A bound of None is ignored."""
    return _at_most(_at_least(a, a_min), a_max)


def _at_least(x, bound):
    return x if bound is None else maximum(x, bound)


def _at_most(x, bound):
    return x if bound is None else minimum(x, bound)


@provides("numpy.fmax", elementwise=True)
def fmax(x, y):
    """The larger of two numbers; the other one if one is NaN."""
    return x if x > y or y != y else y


@provides("numpy.fmin", elementwise=True)
def fmin(x, y):
    """The smaller of two numbers; the other one if one is NaN."""
    return x if x < y or y != y else y


@provides("numpy.logical_and", elementwise=True)
def logical_and(x, y):
    """Whether both are true."""
    return bool(x) and bool(y)


@provides("numpy.logical_or", elementwise=True)
def logical_or(x, y):
    """Whether one of them is true."""
    return bool(x) or bool(y)


@provides("numpy.logical_xor", elementwise=True)
def logical_xor(x, y):
    """Whether exactly one of them is true."""
    return bool(x) != bool(y)


@provides("numpy.logical_not", elementwise=True)
def logical_not(x):
    """Whether it is false."""
    return not x
