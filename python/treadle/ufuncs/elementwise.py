"""Calls of a loop: choice of the kernel, views of the operands, allocation, launch."""

from typing import Any, NamedTuple

import numpy

from treadle.devices.devicearray import DeviceNDArray
from treadle.devices.new_arrays import device_array
from treadle.ufuncs import loops, operands, shapes

MOST_PLANS = 512
"""Per loop. Keeps programs whose shapes never repeat from filling the memory."""


class How(NamedTuple):
    """The other parameters of a call."""

    mask: object = None  # an array of bools: the elements to compute
    stream: object = 0
    most_threads: int = 1024  # of a block


class Plan:
    """The cached steps of calls whose operands have these types, extents and strides."""

    shape: tuple  # of the results
    fortran: bool  # results are in Fortran order
    kernel: Any
    grid: Any
    block: Any
    numbers: list  # (place, converting class) of operands that are numbers
    views: list  # (place, shape, strides) of arrays that are passed to the kernel as views

    def launch(self, inputs, mask, outputs, stream):
        """Queues the kernel. `inputs`: arrays and numbers, `outputs`: arrays."""
        arguments = list(inputs)
        for place, convert in self.numbers:
            arguments[place] = convert(arguments[place])
        if mask is not None:
            arguments.append(mask)
        arguments += outputs
        for place, shape, strides in self.views:
            arguments[place] = operands.strided(arguments[place], shape, strides)
        self.kernel[self.grid, self.block, stream](*arguments)

    def new(self, type_, stream):
        """A device array for a result."""
        if stream or self.fortran:
            return operands.new_array(self.shape, type_, stream, "F" if self.fortran else "C")
        return device_array(self.shape, type_)

    def new_on_host(self, dtype):
        """A NumPy array for a result."""
        return numpy.empty(self.shape, dtype, "F" if self.fortran else "C")


def description(value):
    """The properties of an operand that a plan depends on."""
    kind = type(value)
    if kind is DeviceNDArray:
        return value._type, value.shape, value.strides
    if kind is numpy.ndarray:
        return value.dtype, value.shape, value.strides
    if isinstance(value, DeviceNDArray):
        return value._type, value.shape, value.strides
    return kind


def _is_array(value):
    return isinstance(value, (DeviceNDArray, numpy.ndarray))


def made_plan(loop, inputs, outputs, how):
    """The plan for these operands. `outputs`: an array, or None where one is allocated."""
    arrays = [value for value in (*inputs, how.mask, *outputs) if _is_array(value)]
    shape = shapes.broadcast([array.shape for array in arrays], loop.name)
    for out in outputs:
        if out is not None and out.shape != shape:
            raise ValueError(
                f"{loop.name}: out has shape {out.shape}, and the operands broadcast to {shape}: out must have that "
                "shape"
            )
    plan = Plan()
    plan.shape = shape
    plan.numbers = [
        (place, dtype.type)
        for place, (value, dtype) in enumerate(zip(inputs, loop.inputs, strict=True))
        if not _is_array(value)
    ]
    full = [array for array in arrays if array.shape == shape]
    plan.fortran = len(shape) > 1 and bool(full) and not any(map(_is_c, full)) and all(map(_is_f, full))
    _set_kernel(plan, loop, (inputs, outputs), how)
    return plan


def _is_c(array):
    return array.is_c_contiguous() if operands.is_device(array) else array.flags.c_contiguous


def _is_f(array):
    return array.is_f_contiguous() if operands.is_device(array) else array.flags.f_contiguous


def _set_kernel(plan, loop, operands_given, how):
    """The kernel, its grid, and the views to pass."""
    shape, mask = plan.shape, how.mask
    inputs, outputs = operands_given
    steps: list = []  # of each array: its strides along `shape`; None for a number
    own: list = []  # its own shape and strides
    for value in (*inputs, *(() if mask is None else (mask,))):
        if _is_array(value):
            steps.append(shapes.stretched(value.shape, value.strides, shape))
            own.append((value.shape, value.strides))
        else:
            steps.append(None)
            own.append(None)
    for out, dtype in zip(outputs, loop.outputs, strict=True):
        strides = out.strides if out is not None else shapes.packed(shape, dtype.itemsize, plan.fortran)
        steps.append(strides)
        own.append((shape, strides))
    found, merged = shapes.coalesced(shape, [strides for strides in steps if strides is not None])
    if len(found) > shapes.MOST_AXES:
        raise ValueError(
            f"{loop.name}: kernels take arrays of at most {shapes.MOST_AXES} axes, these need {len(found)}"
        )
    pattern, plan.views, merged = "", [], iter(merged)
    for place, given in enumerate(own):
        if given is None:
            pattern += "n"
            continue
        strides, extents = next(merged), found
        # Only operands of the core may be single elements: mask and results are indexed by the element's position.
        is_one = place < len(inputs) and not any(strides)
        pattern += "o" if is_one else "a"
        if is_one:
            extents, strides = (1,), (0,)
        if given != (extents, strides):
            plan.views.append((place, extents, strides))
    plan.kernel = loop.kernel(pattern[: len(inputs)], len(found), mask is not None)
    plan.grid, plan.block = loops.grid_of(found, how.most_threads)


PLAIN = How()


def run(loop, inputs, outputs, how=PLAIN):
    """Applies a loop to operands (`operands.operand`) and returns the list of results.

    `outputs`: for each result an array (`operands.output`) or None. Allocated results are on the device if any operand
    is a device array, otherwise NumPy arrays. The types must fit the loop's; see `check_casts`.
    """
    mask, stream = how.mask, how.stream
    on_device = any(map(operands.is_device, (*inputs, mask, *outputs)))
    targets = list(outputs)
    if not operands.host_is_visible():
        inputs = [operands.on_device(value, stream) if isinstance(value, numpy.ndarray) else value for value in inputs]
        mask = operands.on_device(mask, stream) if isinstance(mask, numpy.ndarray) else mask
        keeps = mask is not None
        targets = [_stand_in(out, keeps, stream) if isinstance(out, numpy.ndarray) else out for out in outputs]
        how = how._replace(mask=mask)
        makes_device = True
    else:
        makes_device = on_device
    for place, out in enumerate(targets):
        if out is not None and any(_is_array(value) and overlaps(value, out) for value in (*inputs, mask)):
            targets[place] = _copied(out, stream)
    results = _launched(loop, (inputs, targets), how, makes_device)
    return [delivered(result, out, on_device, stream) for result, out in zip(results, outputs, strict=True)]


def _launched(loop, operands_given, how, on_device):
    """The arrays with the results, those allocated in place of None."""
    inputs, targets = operands_given
    key = (*map(description, (*inputs, how.mask, *targets)), on_device, how.most_threads)
    plan = loop.plans.get(key)
    if plan is None:
        if len(loop.plans) >= MOST_PLANS:
            loop.plans.clear()
        plan = loop.plans[key] = made_plan(loop, inputs, targets, how)
    results = [
        out if out is not None else plan.new(type_, how.stream) if on_device else plan.new_on_host(dtype)
        for out, dtype, type_ in zip(targets, loop.outputs, loop.result_types, strict=True)
    ]
    if 0 not in plan.shape:
        plan.launch(inputs, how.mask, results, how.stream)
    return results


def _stand_in(out, keeps, stream):
    """Device memory for a host array; with its elements if some of them are kept."""
    if keeps:
        return operands.on_device(out, stream)
    return operands.new_array(out.shape, out.dtype, stream)


def _copied(out, stream):
    """An array of the same shape and elements in other memory."""
    if not operands.is_device(out):
        return out.copy()
    copy = operands.new_array(out.shape, out._type, stream)
    copy.setitem(..., out, stream)
    return copy


def delivered(result, out, on_device, stream):
    """The return value: `out`, holding the result, or the result on the requested side."""
    if result is out:
        return out
    if out is not None:
        if operands.is_device(out):
            out.setitem(..., result, stream)
        else:
            out[...] = result.copy_to_host(stream=stream) if operands.is_device(result) else result
        return out
    if on_device:
        return result
    host = result.copy_to_host(stream=stream) if operands.is_device(result) else result
    return host[()] if host.ndim == 0 else host


def overlaps(value, out):
    """Whether writing `out` could change elements of `value` that are read later."""
    if value is out:
        return False
    parts = []
    for array in (value, out):
        parts.append(shapes.reach(operands.address_of(array), array.shape, array.strides, array.itemsize))
    (begin, end), (first, last) = parts
    if end <= first or last <= begin:
        return False
    return not (
        operands.address_of(value) == operands.address_of(out)
        and value.shape == out.shape
        and value.strides == out.strides
        and value.itemsize == out.itemsize
    )


def check_casts(loop, inputs, outputs, casting):
    """TypeError where an operand cannot be converted to the loop's type, or a result to that of `out`, under the rule
    `casting`. Functions of truth values take all numbers."""
    for value, dtype in zip(inputs, loop.inputs, strict=True):
        given = getattr(value, "dtype", None)
        if given is not None and not (loop.name.startswith("logical_") and operands.supported(given)):
            _check_cast(f"{loop.name}: cannot cast the operand", given, dtype, casting)
    for out, dtype in zip(outputs, loop.outputs, strict=True):
        if out is not None:
            _check_cast(f"{loop.name}: cannot cast the result", dtype, out.dtype, casting)


def _check_cast(problem, source, target, casting):
    if source == target:
        return
    for dtype in (source, target):
        operands.check_dtype(dtype, problem, times=True)
    if not numpy.can_cast(source, target, casting):
        raise TypeError(f"{problem} from {source} to {target} with casting={casting!r}")
    if source.kind == "c" and target.kind != "c":
        raise TypeError(f"{problem} from {source} to {target}, which has no imaginary part: take .real first")
