"""NumPy's functions of whole arrays, computed by the calling thread, element by element in the order of C."""

import math
import operator

import numpy as np

from treadle.library import provides
from treadle.library.compile_time import axis_of, refuse, typeof
from treadle.library.numpy_axes import astype, check, diagonal, element, reduces
from treadle.types import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int16,
    int32,
    int64,
    uint16,
    uint32,
    uint64,
)

# Types that need this many bits when combined with a float.
_DOUBLE = (float64, complex128, int32, uint32, int64, uint64)
_SINGLE = (float32, complex64, int16, uint16)


def _wide(x):
    """Halves as float32, in which NumPy adds them."""
    return float32(x) if isinstance(x, float16) else x


def rounded(total, zero):
    """Converts a value computed from elements like `zero` to the result type: for halves a half."""
    return float16(total) if isinstance(zero, float16) else total


def total_from(start):
    """A number, in the type in which NumPy accumulates elements of its type."""
    if isinstance(start, (np.signedinteger, bool)):
        return int64(start)
    if isinstance(start, np.unsignedinteger):
        return uint64(start)
    return _wide(start)


def first(a):
    """The first element of an array whose elements have an order; 0 if it has none."""
    if a.dtype.kind == "c":
        return refuse("complex numbers have no order in kernels", "", "take a part of them: np.min(a.real)")
    if len(a) == 0:
        return a.dtype(0)
    if a.ndim == 1:
        return a[0]
    return first(a[0])


def folded(a, total, step):
    """step(step(total, first element), second element) and so on."""
    if a.ndim == 1:
        for i in range(len(a)):
            total = step(total, a[i])
        return total
    for i in range(len(a)):
        total = folded(a[i], total, step)
    return total


@reduces("sum", option="dtype")
def sum(a, dtype=None):  # noqa: A001
    """The sum of all elements, or along an axis: of integers in 64 bits, of others in their own type, or of elements
    that were converted to `dtype`; 0 of none."""
    if dtype is None:
        return rounded(folded(a, total_from(a.dtype(0)), operator.add), a.dtype(0))
    zero = np.dtype(dtype)(0)
    return typeof(zero)(folded(astype(a, dtype), total_from(zero), operator.add))


@reduces("prod", option="dtype")
def prod(a, dtype=None):
    """The product of all elements, or along an axis, in the types of `sum`; 1 of none."""
    if dtype is None:
        return rounded(folded(a, total_from(a.dtype(1)), operator.mul), a.dtype(0))
    one = np.dtype(dtype)(1)
    return typeof(one)(folded(astype(a, dtype), total_from(one), operator.mul))


def mean_zero(zero):
    """0 in the type in which means of elements like it are computed."""
    return float64(0) if isinstance(zero, int) else _wide(zero)


def _mean(a):
    zero = mean_zero(a.dtype(0))
    return typeof(zero)(folded(a, zero, operator.add) / typeof(zero)(a.size))


@reduces("mean")
def mean(a):
    """The mean of all elements, or along an axis, a float64 for integers; NaN of none."""
    return rounded(_mean(a), a.dtype(0))


def square(x):
    """x * x; of a complex number that of its absolute value."""
    if isinstance(x, complex):
        return x.real * x.real + x.imag * x.imag
    return x * x


def _var(a, ddof):
    zero = mean_zero(a.dtype(0)).real
    center = _mean(a)
    total = folded(a, zero, lambda total, x: total + square(x - center))
    return typeof(zero)(total / typeof(zero)(a.size - ddof))


@reduces("var", option="ddof")
def var(a, ddof):
    """The variance of all elements, or along an axis, divided by their number less `ddof`."""
    return rounded(_var(a, ddof), a.dtype(0))


@reduces("std", option="ddof")
def std(a, ddof):
    """The square root of the variance."""
    return rounded(math.sqrt(_var(a, ddof)), a.dtype(0))


def is_nan(x):
    if isinstance(x, complex):
        return math.isnan(x.real) or math.isnan(x.imag)
    if isinstance(x, float):
        return math.isnan(x)
    return False


def less(x, y):
    return x < y


def greater(x, y):
    return x > y


def _extreme(a, best, precedes):
    """The element that precedes all others and `best`; the first NaN, if there is one."""
    for i in range(len(a)):
        if is_nan(best):
            return best
        x = a[i] if a.ndim == 1 else _extreme(a[i], best, precedes)
        if precedes(x, best) or is_nan(x):
            best = x
    return best


@reduces("amin", is_method=False)
@reduces("min")
def min(a):  # noqa: A001
    """The smallest element; NaN if there is one. An empty array has none: ValueError in kernels with debug."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    return _extreme(a, first(a), less)


@reduces("amax", is_method=False)
@reduces("max")
def max(a):  # noqa: A001
    """The largest element; NaN if there is one. An empty array has none: ValueError in kernels with debug."""
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    return _extreme(a, first(a), greater)


def _place(a, found, precedes):
    """`found`, and this: the element that precedes all others, its position, the position after the last element."""
    if a.ndim > 1:
        for i in range(len(a)):
            found = _place(a[i], found, precedes)
        return found
    best, place, start = found
    for i in range(len(a)):
        x = a[i]
        if not is_nan(best) and (precedes(x, best) or is_nan(x)):
            best = x
            place = start + i
    return best, place, start + len(a)


@reduces("argmin")
def argmin(a):
    """The position of the first smallest element in C order, or of the first NaN."""
    if a.size == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    return _place(a, (first(a), int64(0), int64(0)), less)[1]


@reduces("argmax")
def argmax(a):
    """The position of the first largest element in C order, or of the first NaN."""
    if a.size == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    return _place(a, (first(a), int64(0), int64(0)), greater)[1]


@reduces("ptp")
def ptp(a):
    """The largest element less the smallest."""
    if a.dtype.kind == "b":
        return refuse("np.ptp() subtracts, which bools cannot", "", "use np.any() and np.all()")
    return a.dtype(max(a) - min(a))


@reduces("any")
def any(a):  # noqa: A001
    """Whether an element is true."""
    for i in range(len(a)):
        if a.ndim == 1:
            if a[i]:
                return True
        else:
            if any(a[i]):
                return True
    return False


@reduces("all")
def all(a):  # noqa: A001
    """Whether no element is false."""
    for i in range(len(a)):
        if a.ndim == 1:
            if not a[i]:
                return False
        else:
            if not all(a[i]):
                return False
    return True


@reduces("count_nonzero", is_method=False)
def count_nonzero(a):
    """How many elements are not 0."""
    count = int64(0)
    for i in range(len(a)):
        if a.ndim == 1:
            if a[i]:
                count += 1
        else:
            count += count_nonzero(a[i])
    return count


def _product(a, b):
    """The scalar product of two arrays with one axis."""
    zero = typeof(a[0] * b[0])(0)
    total = _wide(zero)
    for i in range(len(a)):
        total += _wide(a[i]) * _wide(b[i])
    return rounded(total, zero)


@provides("numpy.vdot")
def vdot(a, b):
    """The scalar product of two arrays with one axis, the first conjugated."""
    check(a)
    check(b)
    if a.ndim != 1 or b.ndim != 1:
        refuse("np.vdot() in kernels needs arrays with one axis")
    zero = typeof(a[0] * b[0])(0)
    total = _wide(zero)
    for i in range(len(a)):
        total += _wide(a[i].conjugate()) * _wide(b[i])
    return rounded(total, zero)


@provides("operator.matmul")
def matmul(a, b):
    """The scalar product of two arrays with one axis."""
    check(a)
    check(b)
    if a.ndim != 1 or b.ndim != 1:
        refuse("this product of arrays is not supported in kernels", "", "write the loops, or np.dot(a, b, out)")
    if len(a) != len(b):
        raise ValueError("the operands of a product of matrices have other lengths")
    return _product(a, b)


def _matrix_product(a, b, out):
    if a.ndim == 2 and b.ndim == 2:
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                out[i, j] = _product(a[i, :], b[:, j])
    else:
        if a.ndim == 2:
            for i in range(a.shape[0]):
                out[i] = _product(a[i, :], b)
        else:
            for j in range(b.shape[1]):
                out[j] = _product(a, b[:, j])


def _is_packed(a):
    """Whether the elements are contiguous in C order."""
    step = a.itemsize
    for i in range(a.ndim):
        axis = a.ndim - 1 - i
        if a.strides[axis] != step:
            return False
        step *= a.shape[axis]
    return True


def _share_memory(a, b):
    """Whether two arrays are known to have bytes in common: they begin at the same place, or are contiguous."""
    first, second = int64(a.ctypes.data), int64(b.ctypes.data)
    if a.size == 0 or b.size == 0:
        return False
    if first == second:
        return True
    return first < second + b.nbytes and second < first + a.nbytes and _is_packed(a) and _is_packed(b)


@provides("numpy.dot", "numpy.matmul", "array.dot", into="out")
def dot(a, b, out=None):
    """The product of two arrays with one or two axes. Of two with one axis it is a number; other products are stored in
    `out`, whose memory must not be that of an operand: ValueError in kernels with debug, as far as it is detected."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        if out is None:
            return a * b
        out[:] = a * b
        return out
    if a.ndim == 1 and b.ndim == 1:
        if out is None:
            return matmul(a, b)
        return refuse("the product of two arrays with one axis is a number", "", "write out[0] = np.dot(a, b)")
    if a.ndim > 2 or b.ndim > 2:
        refuse("np.dot() in kernels needs arrays with one or two axes")
    if out is None:
        return a @ b
    _matrix_product(a, b, out)
    # Queried after the product, which reports that array expressions, which have no memory, are not operands.
    if _share_memory(out, a) or _share_memory(out, b):
        raise ValueError("out of a product of matrices has memory of an operand: store it into another array")
    return out


@provides("numpy.trace", "array.trace")
def trace(a):
    """The sum of the elements whose two indices are the same."""
    return sum(diagonal(a))


def _joined(x, y):
    """0 in the type in which NumPy computes with elements like both; integers of 64 bits, whose low ones are right."""
    if isinstance(x, complex) or isinstance(y, complex):
        if isinstance(x, _DOUBLE) or isinstance(y, _DOUBLE):
            return complex128(0)
        return complex64(0)
    if isinstance(x, float) or isinstance(y, float):
        if isinstance(x, _DOUBLE) or isinstance(y, _DOUBLE):
            return float64(0)
        if isinstance(x, _SINGLE) or isinstance(y, _SINGLE):
            return float32(0)
        return float16(0)
    if isinstance(x, bool):
        return typeof(y)(0)
    if isinstance(y, bool):
        return typeof(x)(0)
    if isinstance(x, np.unsignedinteger) and isinstance(y, np.unsignedinteger):
        return uint64(0)
    if isinstance(x, uint64) or isinstance(y, uint64):
        return float64(0)
    return int64(0)


def _running(a, add, *, axis, dtype, out):
    check(a)
    if axis is not None and a.ndim > 1 or dtype is not None:
        return refuse("running totals along an axis, or of another type, are not supported in kernels")
    if axis is not None:
        axis_of(axis, 1)
    if out is None:
        return refuse("running totals need an array to be stored in", "", "pass one: np.cumsum(a, out=...)")
    if out.ndim != 1:
        return refuse("running totals need an array with one axis to be stored in", "", "pass out.reshape(out.size)")
    if out.size != a.size:
        raise ValueError("provided out is the wrong size for the accumulation.")
    zero = _joined(a.dtype(0), out.dtype(0))
    total = zero
    for i in range(a.size if a.size < out.size else out.size):
        x = typeof(zero)(element(a, i))
        if i == 0:
            total = x
        elif add:
            total = typeof(zero)(total + x)
        else:
            total = typeof(zero)(total * x)
        out[i] = total
    return out


@provides("numpy.cumsum", "array.cumsum", into="out")
def cumsum(a, axis=None, dtype=None, out=None):
    """The sums of the elements up to each one, in C order, stored in `out`, which has one axis, and as many elements:
    ValueError in kernels with debug. They are computed in the wider of the two types."""
    return _running(a, True, axis=axis, dtype=dtype, out=out)


@provides("numpy.cumprod", "array.cumprod", into="out")
def cumprod(a, axis=None, dtype=None, out=None):
    """The products of the elements up to each one, as `cumsum` gives the sums."""
    return _running(a, False, axis=axis, dtype=dtype, out=out)


@provides("numpy.copyto", into="dst")
def copyto(dst, src):
    """Copies the elements of `src`, or a number, to an array."""
    check(dst)
    dst[...] = src


@provides("array.fill")
def fill(a, value):
    """Sets all elements."""
    a[...] = value


@provides("array.item")
def item(a, index=0):
    """The element at a position in C order; the only one if none is given."""
    if a.ndim == 0:
        return a[()]
    return element(a, int64(index))


@provides("numpy.size")
def size(a):
    """How many elements there are."""
    return a.size


@provides("numpy.shape")
def shape(a):
    """The extents."""
    return a.shape


@provides("numpy.ndim")
def ndim(a):
    """How many axes there are."""
    return a.ndim
