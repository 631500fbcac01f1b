"""NumPy's ufuncs on device arrays: `DeviceNDArray.__array_ufunc__`."""

import numpy

from treadle.devices.devicearray import DeviceNDArray
from treadle.ufuncs import elementwise, operands, reductions, table
from treadle.ufuncs.elementwise import How
from treadle.ufuncs.loops import Loop
from treadle.ufuncs.matrix_products import LAYOUTS, product
from treadle.ufuncs.quick import QuickCalls
from treadle.ufuncs.vectorized import is_weak, mask_from, split_outputs

_quick: dict = {}  # by ufunc
_loops: dict = {}  # by ufunc, dtypes of the operands and the requested types


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """Called by NumPy for a ufunc with a device array among its arguments. Raises TypeError for ufuncs, methods,
    keywords and dtypes that device arrays do not support."""
    if method == "__call__":
        call = _known_call(ufunc, inputs, kwargs)
        return _called(ufunc, inputs, **kwargs) if call is None else call((*inputs, *kwargs.get("out", ())))
    name = ufunc.__name__
    if method in ("reduce", "accumulate") and ufunc.signature is None:
        if ufunc.nin != 2 or ufunc.nout != 1:
            raise ValueError(f"{name}.{method}: only for functions of two operands and one result")
        return _METHODS[method](ufunc, *inputs, **kwargs)
    if method == "outer":
        return _outer(ufunc, inputs, kwargs)
    raise TypeError(f"{name}.{method}() is not supported on device arrays: copy them to the host, or write a kernel")


def _known_call(ufunc, inputs, kwargs):
    known = _quick.get(ufunc)
    if known is None:
        return None
    if not kwargs:
        return known.find(inputs)
    if len(kwargs) == 1 and "out" in kwargs:
        return known.find_with_out((*inputs, *kwargs["out"]))
    return None


def loop_of(ufunc, dtypes, signature=None, casting="same_kind"):
    """The loop for operands of these dtypes, in which `int`, `float` and `complex` stand for Python's numbers.

    TypeError if NumPy has no such loop, or kernels do not support those types.
    """
    key = (ufunc, dtypes, signature, casting)
    found = _loops.get(key)
    if found is None:
        found = _loops[key] = _made_loop(ufunc, _resolved(ufunc, dtypes, signature, casting))
    return found


def _resolved(ufunc, dtypes, signature=None, casting="same_kind"):
    asked = {} if signature is None else {"signature": signature}
    return ufunc.resolve_dtypes(dtypes + (None,) * ufunc.nout, casting=casting, **asked)


def _made_loop(ufunc, chosen):
    name = ufunc.__name__
    for dtype in chosen:
        operands.check_dtype(dtype, name)
    key = (ufunc, chosen)
    if key not in _loops:
        core = table.element_function(name, chosen[0])
        if core is None:
            raise TypeError(f"{name} is not supported on device arrays of {chosen[0]}")
        _loops[key] = Loop(name, core, (chosen[: ufunc.nin], chosen[ufunc.nin :]))
    return _loops[key]


def _kind_of(value):
    kind = type(value)
    return numpy.dtype(bool) if kind is bool else kind if is_weak(value) else value.dtype


def _signature(ufunc, dtype, signature):
    """The types requested by `dtype=` and `signature=`, in the form of `resolve_dtypes`."""
    if signature is not None and dtype is not None:
        raise TypeError(f"{ufunc.__name__}(): cannot specify both 'signature' and 'dtype'")
    if dtype is not None:
        return (None,) * ufunc.nin + (numpy.dtype(dtype),) * ufunc.nout
    return signature


def _called(ufunc, inputs, *, out=None, where=True, casting="same_kind", dtype=None, signature=None, stream=0, **more):
    name = ufunc.__name__
    for keyword in more:
        if keyword not in ("order", "subok"):
            raise TypeError(f"{name}(): {keyword}= is not supported on device arrays")
    values, outputs = split_outputs(ufunc, inputs, out)
    if ufunc.signature is not None:
        if name not in LAYOUTS or where is not True:
            raise TypeError(f"{name}{ufunc.signature} is not supported on device arrays")
        return product(ufunc, values, outputs[0], casting)
    if name in _COMPARISONS and not any(getattr(value, "dtype", _INTEGER).kind in "fc" for value in values):
        values = list(map(_fitting, values))
    loop = loop_of(ufunc, tuple(map(_kind_of, values)), _signature(ufunc, dtype, signature), casting)
    _check_powers(loop, values)
    elementwise.check_casts(loop, values, outputs, casting)
    is_plain = where is True and not stream and dtype is None and signature is None and casting == "same_kind"
    # Replaced values depend on more than their types, and so do exponents.
    if is_plain and name != "power" and all(value is given for value, given in zip(values, inputs, strict=False)):
        _quick.setdefault(ufunc, QuickCalls()).keep(inputs, outputs[0], (loop, 1024))
    results = elementwise.run(loop, values, outputs, How(mask_from(where, name), stream))
    return results[0] if len(results) == 1 else tuple(results)


_COMPARISONS = frozenset(("equal", "greater", "greater_equal", "less", "less_equal", "not_equal"))


_INTEGER = numpy.dtype(int)


def _fitting(value):
    """Python ints in comparisons may be out of the other operand's range."""
    if type(value) is not int:
        return value
    if -(2**63) <= value < 2**63:
        return numpy.int64(value)
    if 0 <= value < 2**64:
        return numpy.uint64(value)
    return float(value)


def _check_powers(loop, values):
    exponent = values[-1]
    if loop.name == "power" and loop.inputs[1].kind == "i" and not hasattr(exponent, "strides") and exponent < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")


def _reduction_loop(ufunc, array, dtype):
    """The loop that reduces an array, in NumPy's choice of type."""
    given = array.dtype if dtype is None else numpy.dtype(dtype)
    if dtype is None and ufunc.__name__ in ("add", "multiply") and given.kind in "biu":
        # Narrow integers are summed in NumPy's default integer type.
        widest = numpy.dtype("uint" if given.kind == "u" else int)
        given = widest if given.itemsize < widest.itemsize else given
    signature = (None, None, given) if dtype is not None else None
    key = (ufunc, "reduce", given, dtype is None)
    if key not in _loops:
        chosen = _resolved(ufunc, (given, given), signature)
        if ufunc.__name__.startswith("logical_"):
            chosen = _resolved(ufunc, (chosen[2], chosen[2]))
        _loops[key] = reductions.reducing(_made_loop(ufunc, chosen))
    return _loops[key]


_NO_VALUE = numpy._NoValue  # type: ignore[attr-defined, unused-ignore]  # stubs before 2.3 lack it


def _reduced(ufunc, array, *, axis=0, dtype=None, out=None, keepdims=False, initial=_NO_VALUE, where=True):
    name = ufunc.__name__
    if where is not True:
        raise TypeError(f"{name}.reduce(): where= is not supported on device arrays")
    array, out = _operand_and_out(name, array, out)
    loop = _reduction_loop(ufunc, array, dtype)
    in_order = name not in table.COMMUTATIVE
    axes = reductions.normalized_axes(axis, array.ndim, name)
    if in_order and len(axes) > 1:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    if initial is _NO_VALUE or initial is None:
        initial = None
        if array.size == 0 and ufunc.identity is not None:
            initial = ufunc.identity
    start = None if initial is None else loop.outputs[0].type(initial)
    return reductions.reduced(array, reductions.Reduction(loop, axes, bool(keepdims), start, in_order), out)


def _accumulated(ufunc, array, *, axis=0, dtype=None, out=None):
    array, out = _operand_and_out(ufunc.__name__, array, out)
    return reductions.accumulated(array, _reduction_loop(ufunc, array, dtype), axis, out)


def _operand_and_out(name, array, out):
    if isinstance(out, tuple):
        (out,) = out
    return operands.operand(array, name), None if out is None else operands.output(out, name)


_METHODS = {"reduce": _reduced, "accumulate": _accumulated}


def _outer(ufunc, inputs, kwargs):
    if ufunc.nin != 2 or ufunc.signature is not None:
        raise ValueError(f"{ufunc.__name__}.outer: only for functions of two operands")
    first, second = (operands.operand(value, ufunc.__name__) for value in inputs)
    return _called(ufunc, (operands.with_trailing_axes(first, getattr(second, "ndim", 0)), second), **kwargs)


def install():
    """Makes `array_ufunc` the method itself, so that calls after the first one do not import anything."""
    setattr(DeviceNDArray, "__array_ufunc__", array_ufunc)  # noqa: B010
