"""Reductions and running results of binary loops, along axes of host and device arrays."""

import math
from typing import NamedTuple

import numpy

from treadle import intrinsics
from treadle.kernels.jit import jit
from treadle.ufuncs import elementwise, operands, shapes
from treadle.ufuncs.loops import converter, grid_of, plain_name

MANY_THREADS = 32768
FEW = 64
"""The number of elements that one thread reduces."""

# `x` has the axes that stay, then those that are reduced; `part` is (partial results, elements that stay). A thread
# takes every part.shape[0]-th element, so that neighbours read neighbours.
_REDUCTION = """\
def reduce_{name}(x, part, count):
    inner, begin = cuda.grid(2)
    if inner < part.shape[{inner_axis}]:
        for outer in range(begin, part.shape[{outer_axis}], cuda.gridsize(2)[1]):
            {names} = inner, outer
            row = kept
{kept_lines}
            row = chunk
{first_lines}
            total = T(x[{kept_index}{first_index}])
            for place in range(chunk + part.shape[0], count, part.shape[0]):
                row = place
{place_lines}
                total = T(core(total, T(x[{kept_index}{first_index}])))
            part[chunk, kept] = total
"""
_ACCUMULATION = """\
def accumulate_{name}(x, out):
    inner = cuda.grid(1)
    if inner < out.shape[0]:
        total = T(x[inner, 0])
        out[inner, 0] = total
        for place in range(1, x.shape[1]):
            total = T(core(total, T(x[inner, place])))
            out[inner, place] = total
"""


class Reduction(NamedTuple):
    """The parameters of a reduction."""

    loop: object  # of two operands and a result of one type
    axes: tuple  # sorted, nonnegative
    keepdims: bool = False
    initial: object = None
    in_order: bool = False  # the function is not associative
    stream: object = 0


def normalized_axes(axis, ndim, name):
    """A sorted tuple from `axis=`: an int, a tuple of ints or None. Raises AxisError and ValueError as NumPy does."""
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = []
    for number in given:
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"{name}: an axis is an int, found {number!r}")
        place = number.__index__()
        if not -ndim <= place < ndim and not (ndim == 0 and place in (0, -1)):
            raise numpy.exceptions.AxisError(place, ndim)
        found.append(place % ndim if ndim else 0)
    if len(set(found)) != len(found):
        raise ValueError(f"{name}: duplicate value in 'axis'")
    return tuple(sorted(found)) if ndim else ()


def reduced(array, how, out=None):
    """The reduction of a host or device array: an array, or a NumPy scalar if no axis is left and there is no `out`."""
    name = how.loop.name
    kept = [axis for axis in range(array.ndim) if axis not in how.axes]
    shape = tuple(array.shape[axis] for axis in kept)
    result_shape = shape
    if how.keepdims:
        result_shape = tuple(1 if axis in how.axes else extent for axis, extent in enumerate(array.shape))
    if out is not None and out.shape != result_shape:
        raise ValueError(f"{name}: out has shape {out.shape}, and the result {result_shape}")
    count = math.prod(array.shape[axis] for axis in how.axes)
    if count == 0 and how.initial is None and 0 not in shape:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    result = operands.new_array(shape, how.loop.result_types[0], how.stream)
    if 0 not in shape:
        if count:
            _reduce_into(result, array, kept, how)
        _apply_initial(result, how, count)
    return _result(result.reshape(*result_shape), array, out, how.stream)


def _apply_initial(result, how, count):
    if how.initial is None:
        return
    if not count:
        result.setitem(..., how.initial, how.stream)
    else:
        elementwise.run(how.loop, [how.initial, result], [result], elementwise.How(stream=how.stream))


def _result(result, array, out, stream):
    if out is not None:
        if operands.is_device(out):
            out.setitem(..., result, stream)
        else:
            out[...] = result.copy_to_host(stream=stream)
        return out
    if result.ndim and operands.is_device(array):
        return result
    host = result.copy_to_host(stream=stream)
    return host[()] if host.ndim == 0 else host


def _reduce_into(result, array, kept, how):
    """Fills `result`, which is contiguous, with the reductions of the elements along the axes that are not kept."""
    if not operands.is_device(array) and not operands.host_is_visible():
        array = operands.on_device(array, how.stream)
    of_kept = [tuple(values[axis] for axis in kept) for values in (array.shape, array.strides)]
    kept_shape, (kept_strides, _) = _grouped(of_kept[0], of_kept[1], result.itemsize)
    of_reduced = [tuple(values[axis] for axis in how.axes) for values in (array.shape, array.strides)]
    if how.in_order:
        shape, strides = of_reduced
    else:
        shape, (strides,) = shapes.coalesced(of_reduced[0], [of_reduced[1]])
    view = operands.strided(array, kept_shape + shape, kept_strides + strides)
    kept_count, count = math.prod(kept_shape), math.prod(shape)
    axes = (len(kept_shape), len(shape))
    while True:
        chunks = 1
        if count > FEW and not how.in_order:
            chunks = max(1, min(-(-count // 16), MANY_THREADS // kept_count))
        part = result.reshape(1, kept_count)
        if chunks > 1:
            part = operands.new_array((chunks, kept_count), result._type, how.stream)
        across_chunks = chunks > 1 and abs(view.strides[-1]) <= abs(view.strides[axes[0] - 1])
        _launch(how, axes, across_chunks, (view, part, count))
        if chunks == 1:
            return
        # Then the partial results: remaining elements by partial results.
        view, axes, count = part.transpose(), (1, 1), chunks


def _grouped(shape, strides, itemsize):
    """The remaining axes, merged where both the array and the contiguous result allow it; at least one."""
    merged: list = []
    for extent, step, own in zip(shape, strides, shapes.packed(shape, itemsize), strict=True):
        if extent == 1:
            continue
        if merged and merged[-1][1] == step * extent:
            merged[-1] = (merged[-1][0] * extent, step, own)
        else:
            merged.append((extent, step, own))
    merged = merged or [(1, 0, 0)]
    return tuple(part[0] for part in merged), (tuple(part[1] for part in merged), tuple(part[2] for part in merged))


def _launch(how, axes, across_chunks, arguments):
    view, part, count = arguments
    if view.ndim > shapes.MOST_AXES:
        raise ValueError(f"{how.loop.name}: kernels take arrays of at most {shapes.MOST_AXES} axes, found {view.ndim}")
    kernel = _kernel(how.loop, ("reduce", *axes, across_chunks), _reduction_text)
    grid, block = grid_of(part.shape[::-1] if across_chunks else part.shape, 256)
    kernel[grid, block, how.stream](view, part, count)


def _kernel(loop, key, text_of):
    found = loop.others.get(key)
    if found is None:
        kind, *rest = key
        text = text_of(loop, *rest)
        names = {"cuda": intrinsics, "core": loop.core, "T": converter(loop.result_types[0])}
        exec(compile(text, f"<ufunc {loop.name}.{kind}>", "exec"), names)
        found = loop.others[key] = jit(names[f"{kind}_{plain_name(loop.name)}"], **loop.options)
    return found


def _index(first, count, axis, indent):
    """Lines that split `row` into the indices of `count` axes of `x` from `axis` on, and these indices."""
    names = [f"{first}{place}" for place in range(count)]
    lines, left = [], "row"
    for place in range(count - 1, 0, -1):
        lines.append(f"{indent}{names[place]} = {left} % x.shape[{axis + place}]")
        lines.append(f"{indent}{first}_rest{place} = {left} // x.shape[{axis + place}]")
        left = f"{first}_rest{place}"
    lines.append(f"{indent}{names[0]} = {left}")
    return "\n".join(lines), ", ".join(names)


def _reduction_text(loop, kept_axes, reduced_axes, across_chunks):
    kept_lines, kept_index = _index("k", kept_axes, 0, " " * 12)
    first_lines, first_index = _index("r", reduced_axes, kept_axes, " " * 12)
    return _REDUCTION.format(
        name=plain_name(loop.name),
        inner_axis=0 if across_chunks else 1,
        outer_axis=1 if across_chunks else 0,
        names="chunk, kept" if across_chunks else "kept, chunk",
        kept_lines=kept_lines,
        kept_index=kept_index + ", ",
        first_lines=first_lines,
        first_index=first_index,
        place_lines=_index("r", reduced_axes, kept_axes, " " * 16)[0],
    )


def accumulated(array, loop, axis, out=None):
    """The running results along one axis: an array of the same shape. One thread takes one line, in order."""
    (place,) = normalized_axes(axis, array.ndim, loop.name) or (0,)
    source = array if operands.is_device(array) else operands.on_device(array, 0)
    order = [*(other for other in range(array.ndim) if other != place), place]
    result = operands.new_array(tuple(array.shape[other] for other in order), loop.result_types[0], 0)
    if result.size:
        lines = _lines(source.transpose(order))
        kernel = _kernel(loop, ("accumulate",), lambda loop: _ACCUMULATION.format(name=plain_name(loop.name)))
        grid, block = grid_of((lines.shape[0],), 256)
        kernel[grid, block](lines, result.reshape(*lines.shape))
    result = result.transpose([order.index(axis) for axis in range(array.ndim)])
    if out is not None and out.shape != result.shape:
        raise ValueError(f"{loop.name}: out has shape {out.shape}, and the result {result.shape}")
    return _result(result, array, out, 0)


def _lines(array):
    """The array as lines along its last axis: a view if its strides allow one."""
    shape = (math.prod(array.shape[:-1]), array.shape[-1])
    try:
        return array.reshape(*shape)
    except NotImplementedError:
        copy = operands.new_array(array.shape, array._type)
        copy[...] = array
        return copy.reshape(*shape)


def reduce_by_function(function, array, axis, options):
    """`reduce` of a function made by `vectorize`."""
    name = function.__name__
    known = ("dtype", "out", "keepdims", "initial", "init", "where", "stream")
    for option in options:
        if option not in known:
            raise TypeError(f"{name}.reduce() has no keyword {option!r}, only {', '.join(known)}")
    if options.get("where", True) is not True:
        raise TypeError(f"{name}.reduce(): where= is not supported: select the elements before")
    if function.nin != 2:
        raise ValueError(f"{name}: reduce is for functions of two operands, this one has {function.nin}")
    array = operands.operand(array, name)
    if not hasattr(array, "shape"):
        array = numpy.asarray(array)
    dtype = array.dtype if options.get("dtype") is None else numpy.dtype(options["dtype"])
    sample = numpy.zeros((), dtype)[()]
    loop = function.loop_for([sample, sample])
    initial = options.get("initial", options.get("init"))
    if initial is None and array.size == 0 and function.identity in (0, 1):
        initial = function.identity
    out = options.get("out")
    how = Reduction(
        reducing(loop), normalized_axes(axis, array.ndim, name), bool(options.get("keepdims")),
        None if initial is None else loop.outputs[0].type(initial), False, options.get("stream", 0),
    )  # fmt: skip
    return reduced(array, how, None if out is None else operands.output(out, name))


def reducing(loop):
    """The loop, if its operands and its result are of one type. TypeError otherwise."""
    if len({*loop.inputs, *loop.outputs}) != 1:
        raise TypeError(
            f"{loop.name}: only a function whose operands and result are of one type can reduce, found "
            + loop.characters
        )
    return loop
