"""A fast path for repeated calls, keyed by the types, extents and strides of their operands."""

import numpy

from treadle._core import last_overlaps, operand_key
from treadle.devices.new_arrays import device_array
from treadle.ufuncs import elementwise
from treadle.ufuncs.operands import host_is_visible, is_device, strided


class QuickCalls:
    """The calls of one function that have one result, and no arguments but operands and `out`.

    For a call with `out` the key is a tuple, and `out` the last operand.
    """

    def __init__(self):
        self._calls = {}

    def find(self, values):
        """A function of the tuple of operands that makes the call; None: a miss."""
        return self._calls.get(operand_key(values))

    def find_with_out(self, values):
        """The same for a call whose result goes to the last operand."""
        call = self._calls.get((operand_key(values),))
        return None if call is None or last_overlaps(values) else call

    def keep(self, values, out, how):
        """Caches the call of a loop with such operands. `how`: the loop, and the most threads of a block."""
        loop, most_threads = how
        key = operand_key(values if out is None else (*values, out))
        if key is None or len(loop.outputs) != 1:
            return
        on_device = any(map(is_device, (*values, out)))
        if not host_is_visible() and not all(
            is_device(value) or not hasattr(value, "strides") for value in (*values, out)
        ):
            return
        plan = elementwise.made_plan(loop, values, [out], elementwise.How(most_threads=most_threads))
        if 0 in plan.shape or (out is None and (plan.fortran or not (on_device or plan.shape))):
            return
        if len(self._calls) >= elementwise.MOST_PLANS:
            self._calls.clear()
        if out is not None:
            self._calls[(key,)] = _call(plan, None)
        elif on_device:
            self._calls[key] = _call(plan, (device_array, loop.result_types[0]))
        else:
            self._calls[key] = _call(plan, (numpy.empty, loop.outputs[0]))


def _call(plan, result):
    """`result`: the constructor and type of a new one; None if it follows the operands."""
    kernel, grid, block, shape = plan.kernel, plan.grid, plan.block, plan.shape
    make, type_ = result or (None, None)
    if make and not plan.views and not plan.numbers:

        def call_with_arrays(values):
            out = make(shape, type_)
            kernel[grid, block](*values, out)
            return out

        return call_with_arrays

    def call(values):
        arguments = list(values)
        if make:
            arguments.append(make(shape, type_))
        out = arguments[-1]
        for place, convert in plan.numbers:
            arguments[place] = convert(arguments[place])
        for place, extents, strides in plan.views:
            arguments[place] = strided(arguments[place], extents, strides)
        kernel[grid, block](*arguments)
        return out

    return call
