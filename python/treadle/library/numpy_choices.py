"""NumPy's functions of numbers that choose or decide, which are functions of the elements of arrays, too."""

from treadle.library import provides
from treadle.library.numpy_arrays import is_nan


@provides("numpy.maximum", elementwise=True)
def maximum(x, y):
    """The larger of two numbers; NaN if one is NaN."""
    if is_nan(x):
        return x
    return x if x > y else y


@provides("numpy.minimum", elementwise=True)
def minimum(x, y):
    """The smaller of two numbers; NaN if one is NaN."""
    if is_nan(x):
        return x
    return x if x < y else y


@provides("numpy.fmax", elementwise=True)
def fmax(x, y):
    """The larger of two numbers; the other one if one is NaN."""
    if is_nan(y):
        return x
    return x if x > y else y


@provides("numpy.fmin", elementwise=True)
def fmin(x, y):
    """The smaller of two numbers; the other one if one is NaN."""
    if is_nan(y):
        return x
    return x if x < y else y


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
