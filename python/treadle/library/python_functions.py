"""Python's own functions that are not a single operation of the compiler."""

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import refuse, typeof
from treadle.library.totals import total_from


@provides("divmod")
def divmod(x, y):  # noqa: A001
    """(x // y, x % y)."""
    return x // y, x % y


@provides("sum")
def sum(iterable, start=0):  # noqa: A001
    """The sum of a tuple's items, a range, or the elements of an array with one axis, in their order."""
    if not isinstance(iterable, (tuple, range)):  # noqa: SIM102 - each is decided while compiling
        if iterable.ndim != 1:
            refuse("sum() takes a tuple or an array with one axis", "", "write np.sum(a) for all elements of an array")
    total = total_from(start, iterable)
    number = typeof(total)
    for item in iterable:
        total += number(item)
    return total


@provides("any")
def any(iterable):  # noqa: A001
    """Whether one of the elements is true."""
    for item in iterable:  # noqa: SIM110
        if item:
            return True
    return False


@provides("all")
def all(iterable):  # noqa: A001
    """Whether none of the elements is false."""
    for item in iterable:  # noqa: SIM110
        if not item:
            return False
    return True


@provides("reversed")
def reversed(sequence):  # noqa: A001
    """An array's rows or elements, a tuple's items or a range's numbers, the last one first."""
    if isinstance(sequence, range):
        number, step = typeof(sequence.start), sequence.step
        if isinstance(step, np.unsignedinteger):
            refuse("a range of unsigned integers cannot be reversed", "", "convert its bounds: int64(...)")
        return range(number(sequence.start + (len(sequence) - 1) * step), number(sequence.start - step), number(-step))
    return sequence[::-1]


@provides("hash")
def hash(value):  # noqa: A001, ARG001
    """Refused, as by Numba."""
    return refuse("hash() is not supported in kernels", "", "compute it outside, and pass it as an argument")


@provides("sorted")
def sorted(iterable):  # noqa: A001, ARG001
    """Refused, as by Numba."""
    return refuse("sorted() is not supported in kernels: it makes a list", "", "sort an array by loops of its own")


@provides("math.fsum")
def fsum(iterable):  # noqa: ARG001
    """Refused, as by Numba."""
    return refuse("math.fsum() is not supported in kernels", "", "use sum() or np.sum(), of float64")
