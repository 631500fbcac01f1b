"""NumPy's functions of whole arrays that ignore NaN."""

import math

from treadle.library.compile_time import typeof
from treadle.library.numpy_arrays import first, greater, is_nan, less, mean_zero, rounded, square, total_from
from treadle.library.numpy_axes import reduces
from treadle.types import int64


def _added_numbers(a, total):
    if a.ndim == 1:
        for i in range(len(a)):
            if not is_nan(a[i]):
                total += a[i]
        return total
    for i in range(len(a)):
        total = _added_numbers(a[i], total)
    return total


@reduces("nansum", is_method=False)
def nansum(a):
    """The sum of the elements that are not NaN."""
    return rounded(_added_numbers(a, total_from(a.dtype(0))), a.dtype(0))


def _multiplied_numbers(a, total):
    if a.ndim == 1:
        for i in range(len(a)):
            if not is_nan(a[i]):
                total *= a[i]
        return total
    for i in range(len(a)):
        total = _multiplied_numbers(a[i], total)
    return total


@reduces("nanprod", is_method=False)
def nanprod(a):
    """The product of the elements that are not NaN."""
    return rounded(_multiplied_numbers(a, total_from(a.dtype(1))), a.dtype(0))


def _numbers(a):
    count = int64(0)
    for i in range(len(a)):
        if a.ndim == 1:
            if not is_nan(a[i]):
                count += 1
        else:
            count += _numbers(a[i])
    return count


def _mean(a):
    zero = mean_zero(a.dtype(0))
    return typeof(zero)(_added_numbers(a, zero) / typeof(zero)(_numbers(a)))


@reduces("nanmean", is_method=False)
def nanmean(a):
    """The mean of the elements that are not NaN; NaN if there are none."""
    return rounded(_mean(a), a.dtype(0))


def _number_squares(a, center, total):
    if a.ndim == 1:
        for i in range(len(a)):
            if not is_nan(a[i]):
                total += square(a[i] - center)
        return total
    for i in range(len(a)):
        total = _number_squares(a[i], center, total)
    return total


def _var(a, ddof):
    zero = mean_zero(a.dtype(0)).real
    return typeof(zero)(_number_squares(a, _mean(a), zero) / typeof(zero)(_numbers(a) - ddof))


@reduces("nanvar", is_method=False, option="ddof")
def nanvar(a, ddof):
    """The variance of the elements that are not NaN, or of those along an axis."""
    return rounded(_var(a, ddof), a.dtype(0))


@reduces("nanstd", is_method=False, option="ddof")
def nanstd(a, ddof):
    """The square root of the variance."""
    return rounded(math.sqrt(_var(a, ddof)), a.dtype(0))


def _extreme_number(a, best, precedes):
    if a.ndim == 1:
        for i in range(len(a)):
            if precedes(a[i], best) or is_nan(best):
                best = a[i]
        return best
    for i in range(len(a)):
        best = _extreme_number(a[i], best, precedes)
    return best


@reduces("nanmin", is_method=False)
def nanmin(a):
    """The smallest element that is not NaN; NaN if there is none."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    return _extreme_number(a, first(a), less)


@reduces("nanmax", is_method=False)
def nanmax(a):
    """The largest element that is not NaN; NaN if there is none."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    return _extreme_number(a, first(a), greater)
