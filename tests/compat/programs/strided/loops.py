"""The tensor operations as loops of Python, on tensors of the host."""

from .layout import cell_at, common_shape, narrow, split_place, weights_of
from .tensor import Strided


def places(shape):
    """The digits of each place of a shape, in one list that changes."""
    digits, weights = [0] * len(shape), weights_of(shape)
    for place in range(weights[0] * shape[0]):
        split_place(place, weights, digits)
        yield digits


def read(tensor, digits):
    found = [0] * len(tensor.shape)
    narrow(digits, len(digits), tensor.shape, found)
    return tensor.cells[cell_at(found, tensor.steps)]


def make_map(fn):
    def mapped(x, target=None):
        target = target or Strided.empty(x.shape, x.dtype)
        for digits in places(target.shape):
            target.cells[cell_at(digits, target.steps)] = fn(read(x, digits))
        return target

    return mapped


def make_zip(fn):
    def zipped(x, y):
        target = Strided.empty(common_shape(x.shape, y.shape), x.dtype)
        for place, digits in enumerate(places(target.shape)):
            target.cells[place] = fn(read(x, digits), read(y, digits))
        return target

    return zipped


def lines(x, axis):
    """The elements along an axis, one list for each place of the other axes."""
    last = x.turned(*(a for a in range(len(x.shape)) if a != axis % len(x.shape)), axis)
    elements = [read(last, digits) for digits in places(last.shape)]
    return [elements[k : k + last.shape[-1]] for k in range(0, len(elements), last.shape[-1])]


def make_fold(fn, start):
    """folded(x, axis): each line along the axis as one number. Of a tensor with one axis, one number."""

    def folded(x, axis):
        shape = [length for a, length in enumerate(x.shape) if a != axis % len(x.shape)]
        target = Strided.empty(shape or (1,), x.dtype)
        for place, line in enumerate(lines(x, axis)):
            total = start
            for element in line:
                total = fn(total, element)
            target.cells[place] = total
        return target

    return folded


def make_scan(fn):
    """scanned(x): the results so far, along the last axis."""

    def scanned(x):
        target = Strided.empty(x.shape, x.dtype)
        place = 0
        for line in lines(x, -1):
            for k, element in enumerate(line):
                target.cells[place] = fn(target.cells[place - 1], element) if k else element
                place += 1
        return target

    return scanned


def matrix_product(x, y):
    batch = common_shape(x.shape[:-2], y.shape[:-2])
    target = Strided.empty((*batch, x.shape[-2], y.shape[-1]), x.dtype)
    for place, (*outer, row, column) in enumerate(places(target.shape)):
        inner = range(x.shape[-1])
        target.cells[place] = sum(read(x, [*outer, row, k]) * read(y, [*outer, k, column]) for k in inner)
    return target
