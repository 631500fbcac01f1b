"""NumPy's functions of whole arrays that ignore NaN."""

import math

from treadle.library.compile_time import typeof
from treadle.library.numpy_arrays import first, folded, greater, is_nan, less, mean_zero, rounded, square, total_from
from treadle.library.numpy_axes import reduces
from treadle.types import int64


def _add_number(total, x):
    return total if is_nan(x) else total + x


def _numbers(a):
    return folded(a, int64(0), lambda count, x: count if is_nan(x) else count + 1)


def _extreme_number(a, precedes):
    return folded(a, first(a), lambda best, x: x if precedes(x, best) or is_nan(best) else best)


@reduces("nansum", is_method=False)
def nansum(a):
    """The sum of the elements that are not NaN."""
    return rounded(folded(a, total_from(a.dtype(0)), _add_number), a.dtype(0))


@reduces("nanprod", is_method=False)
def nanprod(a):
    """The product of the elements that are not NaN."""
    return rounded(folded(a, total_from(a.dtype(1)), lambda total, x: total if is_nan(x) else total * x), a.dtype(0))


def _mean(a):
    zero = mean_zero(a.dtype(0))
    return typeof(zero)(folded(a, zero, _add_number) / typeof(zero)(_numbers(a)))


@reduces("nanmean", is_method=False)
def nanmean(a):
    """The mean of the elements that are not NaN; NaN if there are none."""
    return rounded(_mean(a), a.dtype(0))


def _var(a, ddof):
    zero = mean_zero(a.dtype(0)).real
    center = _mean(a)
    total = folded(a, zero, lambda total, x: total if is_nan(x) else total + square(x - center))
    return typeof(zero)(total / typeof(zero)(_numbers(a) - ddof))


@reduces("nanvar", is_method=False, option="ddof")
def nanvar(a, ddof):
    """The variance of the elements that are not NaN, or of those along an axis."""
    return rounded(_var(a, ddof), a.dtype(0))


@reduces("nanstd", is_method=False, option="ddof")
def nanstd(a, ddof):
    """The square root of the variance."""
    return rounded(math.sqrt(_var(a, ddof)), a.dtype(0))


@reduces("nanmin", is_method=False)
def nanmin(a):
    """The smallest element that is not NaN; NaN if there is none."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    return _extreme_number(a, less)


@reduces("nanmax", is_method=False)
def nanmax(a):
    """The largest element that is not NaN; NaN if there is none."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    return _extreme_number(a, greater)
