"""NumPy's functions that return arrays: array expressions, each element computed where it is read."""

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import (
    ANYWHERE,
    CHOSEN,
    CHOSEN_LINES,
    CHOSEN_OF_LINE,
    LINE,
    OWN,
    axis_of,
    computed,
    refuse,
)
from treadle.types import int64


def check(a):
    if not isinstance(a, np.ndarray):
        refuse("this function of NumPy needs an array")


def others(shape, axis):
    """The items of a tuple but that one."""
    return shape[:axis] + shape[axis + 1 :]


def line(a, before, place):
    """The elements along the axis that has as many axes before it as `before` has items, at `place` in the others."""
    n = len(before)
    return computed("line", ANYWHERE, (a.shape[n],), a, place[:n], place[n:])


@provides("computed.line")
def _on_line(a, before, after, k):
    return a[before + (k,) + after]  # noqa: RUF005 - kernels have no stars in tuples


def along(name, a, axis, *options):
    """The array expression "computed.<name>" of the array, the axes before `axis` (not negative), the options, and the
    place of a line."""
    return computed(name, LINE, others(a.shape, axis), a, a.shape[:axis], *options)


def _reduce(name, function, a, axis, *options):
    """A function of all elements and the options, or of those along an axis, which is "computed.<name>"."""
    check(a)
    if a.dtype.kind in "MmUS" and name not in ("any", "all", "count_nonzero"):
        return refuse(f"np.{name}() in kernels takes arrays of numbers, not of dates or texts", "", "write the loop")
    if axis is not None and a.ndim > 1:
        return along(name, a, axis_of(axis, a.ndim), *options)
    if axis is not None:
        axis_of(axis, 1)
    if a.ndim == 0:
        return function(a[None], *options)
    return function(a, *options)


def reduces(name, is_method=True, option=None):
    """Turns a function of all elements into NumPy's, which accepts an axis. If it has an option, "dtype" or "ddof",
    that is its second parameter."""
    options = 0 if option is None else 1

    def provide(function):
        @provides(f"computed.{name}")
        def of_line(a, before, *given):
            return function(line(a, before, given[options:]), *given[:options])

        def plain(a, axis=None):
            return _reduce(name, function, a, axis)

        def typed(a, axis=None, dtype=None):
            return _reduce(name, function, a, axis, dtype)

        def corrected(a, axis=None, *, ddof=0):
            return _reduce(name, function, a, axis, ddof)

        keys = [f"numpy.{name}", *([f"array.{name}"] if is_method else [])]
        provides(*keys)({None: plain, "dtype": typed, "ddof": corrected}[option])
        return function

    return provide


@provides("array.astype")
def astype(a, dtype):
    """The elements as another type."""
    number = np.dtype(dtype)
    if a.ndim == 0:
        return number(a[()])
    return computed("converted", OWN, a.shape, a, number)


@provides("computed.converted")
def _converted(a, number, *place):
    return number(a[place])


@provides("numpy.copy", "array.copy")
def copy(a):
    """The elements."""
    check(a)
    if a.ndim == 0:
        return a[()]
    return computed("copied", OWN, a.shape, a)


@provides("computed.copied")
def _copied(a, *place):
    return a[place]


def element(a, place):
    """The element at a position in C order."""
    if a.ndim == 1:
        return a[place]
    rest = a.size // len(a)
    return element(a[place // rest], place % rest)


def _at(a, index):
    place = int64(index)
    if a.ndim == 1:
        return a[place]
    if place < 0:
        place += a.size
        if place < 0:  # must not be counted from the end again: out of range
            place = a.size
    return element(a, place)


@provides("computed.flat", "computed.ravel")
def _flat(a, place):
    return element(a, place)


@provides("numpy.take", "array.take")
def take(a, indices, axis=None):
    """The elements at positions in C order, or rows at positions along an axis; negative ones count from the end."""
    check(a)
    if not isinstance(indices, (int, np.ndarray)):
        return refuse("np.take() in kernels takes an index or an array of indices")
    if isinstance(indices, np.ndarray) and indices.dtype.kind != "i" and indices.dtype.kind != "u":
        return refuse("np.take() needs an array of integers")
    if axis is None:
        if isinstance(indices, int):
            return _at(a, indices)
        return computed("taken", CHOSEN, indices.shape, a, indices)
    place = axis_of(axis, a.ndim)
    if isinstance(indices, int):
        if a.ndim == 1:
            return a[indices]
        return computed("taken_row", CHOSEN_OF_LINE, others(a.shape, place), a, a.shape[:place], indices)
    shape = a.shape[:place] + indices.shape + a.shape[place + 1 :]
    return computed("taken_rows", CHOSEN_LINES, shape, a, a.shape[:place], indices)


@provides("computed.taken")
def _taken(a, indices, *place):
    return _at(a, indices[place])


@provides("computed.taken_row")
def _taken_row(a, before, index, *place):
    n = len(before)
    return a[place[:n] + (index,) + place[n:]]  # noqa: RUF005


@provides("computed.taken_rows")
def _taken_rows(a, before, indices, *place):
    n, m = len(before), len(before) + indices.ndim
    return a[place[:n] + (indices[place[n:m]],) + place[m:]]  # noqa: RUF005


@provides("computed.imag")
def imag(a):
    """`a.imag` of real numbers."""
    if a.ndim == 0:
        return a.dtype(0)
    return computed("zero", ANYWHERE, a.shape, a.dtype)


@provides("computed.zero")
def _zero(number, *_place):
    return number(0)


@provides("numpy.diagonal", "array.diagonal")
def diagonal(a):
    """The elements whose two indices are the same."""
    check(a)
    if a.ndim != 2:
        return refuse("diagonal() in kernels takes an array with two axes")
    return computed("diagonal", ANYWHERE, (min(a.shape),), a)


@provides("computed.diagonal")
def _on_diagonal(a, k):
    return a[k, k]


@provides("array.clip")
def clip(a, min=None, max=None):  # noqa: A002 - NumPy's names
    """np.clip(a, min, max)."""
    return np.clip(a, min, max)


@provides("array.conj", "array.conjugate")
def conjugate(a):
    """np.conjugate(a)."""
    return np.conjugate(a)


@provides("computed.pick")
def pick(a, indices):
    """`a[indices]`."""
    return computed("taken_rows", CHOSEN_LINES, indices.shape + a.shape[1:], a, (), indices)
