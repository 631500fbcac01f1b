"""Calls with device arrays whose like was made before, by the types, extents and strides of their operands."""

from treadle._core import operand_key
from treadle.devicearray import device_array
from treadle.ufuncs import elementwise
from treadle.ufuncs.operands import is_device, strided


class QuickCalls:
    """The calls of one function that have one result, and no arguments but operands and `out`."""

    def __init__(self):
        self._calls = {}

    def find(self, values):
        """A function of the tuple of operands that makes the call; None if there was no such call yet."""
        return self._calls.get(operand_key(values))

    def find_with_out(self, values, out):
        """The same for a result that goes to a device array; its function takes the tuple of both."""
        call = self._calls.get((operand_key((*values, out)),))
        return None if call is None or out._is_read_only or _reaches(values, out) else call

    def keep(self, values, out, how):
        """Keeps the call with such operands of a loop. `how`: the loop, and the most threads of a block."""
        loop, most_threads = how
        is_given = out is not None
        key = operand_key((*values, out) if is_given else values)
        if key is None or len(loop.outputs) != 1 or (is_given and not is_device(out)):
            return
        plan = elementwise.made_plan(loop, values, [out], elementwise.How(most_threads=most_threads))
        if 0 in plan.shape or (not is_given and plan.fortran):
            return
        if is_given and not all(value.is_c_contiguous() for value in (*values, out) if is_device(value)):
            return
        if len(self._calls) >= elementwise.MOST_PLANS:
            self._calls.clear()
        self._calls[(key,) if is_given else key] = _call(plan, None if is_given else loop.result_types[0])


def _reaches(values, out):
    """Whether writing `out` might change operands before they are read. All are without gaps, or numbers."""
    begin = out._address
    end = begin + out.nbytes
    for value in values:
        if value is not out and is_device(value):
            first = value._address
            if first < end and first + value.nbytes > begin:
                return True
    return False


def _call(plan, type_):
    """`type_`: of a new result; None where it is given behind the operands."""
    kernel, grid, block, shape = plan.kernel, plan.grid, plan.block, plan.shape
    if type_ is not None and not plan.views and not plan.numbers:

        def call_with_arrays(values):
            out = device_array(shape, type_)
            kernel[grid, block](*values, out)
            return out

        return call_with_arrays

    def call(values):
        arguments = list(values)
        if type_ is not None:
            arguments.append(device_array(shape, type_))
        out = arguments[-1]
        for place, convert in plan.numbers:
            arguments[place] = convert(arguments[place])
        for place, extents, strides in plan.views:
            arguments[place] = strided(arguments[place], extents, strides)
        kernel[grid, block](*arguments)
        return out

    return call
