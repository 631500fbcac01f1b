"""NumPy's products of matrices and vectors: one thread for each element of the result, over views of the operands."""

import functools

import numpy

from treadle import _core
from treadle.types import void
from treadle.ufuncs import operands
from treadle.ufuncs.generalized import CUDAGeneralizedUFunc
from treadle.ufuncs.options import checked_options
from treadle.ufuncs.vectorized import compiled_for

LAYOUTS = ("matmul", "matvec", "vecdot", "vecmat")
"""The supported products."""


def _sum_of_products(x, y, out):
    out[0] = 0
    total = out[0]
    for i in range(x.size):
        total += x[i] * y[i]
    out[0] = total


def _sum_of_conjugates(x, y, out):
    out[0] = 0
    total = out[0]
    for i in range(x.size):
        total += x[i].conjugate() * y[i]
    out[0] = total


def _any_of_both(x, y, out):
    out[0] = False
    for i in range(x.size):
        if x[i] and y[i]:
            out[0] = True


@functools.cache
def _dot(name, dtype):
    """The product of two vectors of this dtype."""
    function = _any_of_both if dtype.kind == "b" else _sum_of_products
    if dtype.kind == "c" and name in ("vecdot", "vecmat"):
        function = _sum_of_conjugates
    made = CUDAGeneralizedUFunc(function, "(n),(n)->()", checked_options(TypeError, {}))
    made.__name__ = name
    element = _core.array_type(_core.element_type(dtype), 1, "A")
    return compiled_for(made, [void(element, element, element)])


def _turned(array):
    """Swaps the last two axes."""
    shape, strides = array.shape, array.strides
    return operands.strided(array, shape[:-2] + shape[:-3:-1], strides[:-2] + strides[:-3:-1])


def _with_axis(array, place):
    """Adds an axis of extent 1, before the axis `place`, counted from the end."""
    shape, strides = array.shape, array.strides
    return operands.strided(array, (*shape[:place], 1, *shape[place:]), (*strides[:place], 0, *strides[place:]))


def product(ufunc, values, out, casting):
    """`ufunc`, one of LAYOUTS, of two operands."""
    name = ufunc.__name__
    arrays = [value if hasattr(value, "strides") and value.ndim else numpy.asarray(value) for value in values]
    least = {"matmul": (1, 1), "matvec": (2, 1), "vecdot": (1, 1), "vecmat": (1, 2)}[name]
    for place, (array, axes) in enumerate(zip(arrays, least, strict=True)):
        if array.ndim < axes:
            raise ValueError(f"{name}: operand {place} has {array.ndim} axes; it needs at least {axes}")
    chosen = ufunc.resolve_dtypes((arrays[0].dtype, arrays[1].dtype, None), casting=casting)
    for dtype in chosen:
        operands.check_dtype(dtype, name)
    dot = _dot(name, chosen[0])
    return dot(*_lines(name, *arrays), out=out)


def _lines(name, first, second):
    """Views of the operands as vectors along the last axis, whose other axes are those of the result."""
    if name == "matvec":
        return first, _with_axis(second, -1)
    if name == "vecmat":
        return _with_axis(first, -1), _turned(second)
    if name == "matmul" and second.ndim > 1:
        turned = _turned(second)
        return (_with_axis(first, -1), _with_axis(turned, -2)) if first.ndim > 1 else (first, turned)
    return first, second
