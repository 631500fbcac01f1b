"""Checks of array assignments in debug kernels."""

from treadle.library import provides
from treadle.types import int64


def _place_of(a, address):
    """The position in C order of the element at an address, or -1. Axes whose elements lie among those of another one
    have smaller strides."""
    rest, place, seen = address, 0, 0
    for axis in range(a.ndim):
        if a.strides[axis] < 0:
            rest -= a.strides[axis] * (a.shape[axis] - 1)
    for _ in range(a.ndim):
        widest = -1
        for axis in range(a.ndim):
            is_left = (seen >> axis) & 1 == 0
            if is_left and (widest < 0 or abs(a.strides[axis]) > abs(a.strides[widest])):
                widest = axis
        seen |= 1 << widest
        stride, extent = a.strides[widest], a.shape[widest]
        index = rest // abs(stride) if stride != 0 and extent > 1 else 0
        if index < 0 or index >= extent:
            return -1
        rest -= index * abs(stride)
        if stride < 0:
            index = extent - 1 - index
        for axis in range(widest + 1, a.ndim):
            index *= a.shape[axis]
        place += index
    return place if 0 <= rest < a.itemsize else -1


def _read_at(target, source, place):
    """The address, from the first element of `target`, of the element of `source` that corresponds to a position in
    it."""
    address, rest = int64(source.ctypes.data) - int64(target.ctypes.data), place
    for back in range(1, source.ndim + 1):
        extent = target.shape[target.ndim - back]
        if source.shape[source.ndim - back] != 1:
            address += rest % extent * source.strides[source.ndim - back]
        rest //= extent
    return address


@provides("operator.reads_late")
def reads_late(target, source, is_down, is_copy):
    """Whether `target[...] = value`, which assigns the elements one by one, in C order or backwards, reads one of
    `source` at another place after it was assigned. The axes of `source` are the last of `target`, or have the extent
    1. `is_copy`: it is the value, so that an element which is assigned to itself does not change."""
    for place in range(target.size):
        address = _read_at(target, source, place)
        written = _place_of(target, address)
        is_late = written >= 0 and (written > place if is_down else written < place)
        if is_late and (not is_copy or _read_at(target, source, written) != address):
            return True
    return False
