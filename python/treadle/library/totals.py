"""The types of sums and products over tuples and arrays."""

from treadle.library.compile_time import Array, refuse, typeof
from treadle.types import int64, uint64


def total_from(start, iterable):
    """`start` in the type of totals of it and the items: int64 or uint64 for integers, else what arithmetic gives."""
    if isinstance(iterable, range):
        return _with_items(start, typeof(iterable.start)(0))
    if isinstance(iterable, tuple):
        return _with_items(start, _zero_of(iterable, iterable[0]))
    if not isinstance(iterable, Array):
        refuse("a total is of a tuple, a range, or an array with one axis")
        return start
    number = iterable.dtype
    return _with_items(start, number(0))


def _zero_of(items, first):
    if isinstance(first, complex):
        return typeof(first)(0)
    return typeof(max(items))(0)


def _with_items(start, zero):
    if isinstance(start, int) and isinstance(zero, int):
        if typeof(start) is uint64 or typeof(zero) is uint64:
            return uint64(start)
        return int64(start)
    return start + zero
