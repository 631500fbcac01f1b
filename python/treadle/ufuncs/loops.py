"""Loops: one function for one list of operand types, and its generated kernels."""

import functools

import numpy

from treadle import _core, intrinsics
from treadle.kernels.jit import jit
from treadle.typing.conversion import dtype_of
from treadle.typing.dtypes import element_type_of
from treadle.ufuncs.operands import is_time

_HEAD = "def {name}({parameters}):"

# `i0` is the element's index, `inner` and `row` those of the last axis and of all others together.
_ONE_AXIS = """
    i0 = cuda.grid(1)
    if i0 < {first}.size:
"""
_MORE_AXES = """
    inner, begin = cuda.grid(2)
    if inner < {first}.shape[{last}]:
        for row in range(begin, {rows}, cuda.gridsize(2)[1]):
"""


class Loop:
    """A device function over elements, the types of its operands, and its kernels.

    `core` takes a scalar for each of `inputs` and returns one for each of `outputs`, tuples of NumPy dtypes. Values are
    converted to these types, and from them to what the arrays hold. `options`: those of `cuda.jit` for the kernels.
    """

    def __init__(self, name, core, dtypes, options=None):
        self.name = name
        self.core = core
        self.inputs, self.outputs = inputs, outputs = dtypes
        self.options = options or {}
        self.input_types = [element_type_of(dtype) for dtype in inputs]
        self.result_types = [element_type_of(dtype) for dtype in outputs]
        self.plans = {}
        self.others = {}  # kernels of reductions, by form
        self._kernels = {}

    @property
    def characters(self):
        """As in NumPy's `ufunc.types`: "ff->f"."""
        return "->".join("".join(dtype.char for dtype in dtypes) for dtypes in (self.inputs, self.outputs))

    def kernel(self, pattern, ndim, masked):
        """The kernel for operands of these kinds: "a" an array, "o" one element, "n" a number.

        `ndim`: axes of the arrays. `masked`: a further array says which elements are written.
        """
        key = (pattern, ndim, masked)
        found = self._kernels.get(key)
        if found is None:
            found = self._kernels[key] = _compiled(self, kernel_text(self, pattern, ndim, masked))
        return found


def plain_name(name):
    """`name` as a part of a Python identifier."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def _compiled(loop, text):
    names = {"cuda": intrinsics, "core": loop.core}
    names.update((f"T{place}", converter(type_)) for place, type_ in enumerate(loop.input_types))
    names.update((f"R{place}", converter(type_)) for place, type_ in enumerate(loop.result_types))
    exec(compile(text, f"<ufunc {loop.name}>", "exec"), names)
    return jit(names[f"ufunc_{plain_name(loop.name)}"], **loop.options)


def index_lines(first, ndim, axes, indent):
    """Lines that make the indices i0, i1, ... of all axes but the last of `row`, and that of the last of `inner`."""
    lines = [f"i{ndim - 1} = inner"] if ndim == axes else []
    left = "row"
    for axis in range(ndim - 2, 0, -1):
        lines.append(f"i{axis} = {left} % {first}.shape[{axis}]")
        lines.append(f"rest{axis} = {left} // {first}.shape[{axis}]")
        left = f"rest{axis}"
    lines.append(f"i0 = {left}")
    return [indent + line for line in lines]


def kernel_text(loop, pattern, ndim, masked):
    """The kernel's source."""
    results = [f"r{place}" for place in range(len(loop.outputs))]
    parameters = [f"x{place}" for place in range(len(pattern))] + (["mask"] if masked else []) + results
    lines = [_HEAD.format(name=f"ufunc_{plain_name(loop.name)}", parameters=", ".join(parameters))]
    if ndim == 1:
        lines.append(_ONE_AXIS.format(first="r0").strip("\n"))
        indent = " " * 8
    else:
        rows = " * ".join(f"r0.shape[{axis}]" for axis in range(ndim - 1))
        lines.append(_MORE_AXES.format(first="r0", last=ndim - 1, rows=rows).strip("\n"))
        indent = " " * 12
        lines += index_lines("r0", ndim, ndim, indent)
    index = ", ".join(f"i{axis}" for axis in range(ndim))
    if masked:
        lines.append(f"{indent}if mask[{index}]:")
        indent += "    "
    forms = {"a": f"[{index}]", "o": "[0]", "n": ""}
    values = [f"T{place}(x{place}{forms[kind]})" for place, kind in enumerate(pattern)]
    names = [f"y{place}" for place in range(len(results))]
    lines.append(f"{indent}{', '.join(names)} = core({', '.join(values)})")
    lines += [f"{indent}{result}[{index}] = R{place}(y{place})" for place, result in enumerate(results)]
    return "\n".join(lines) + "\n"


def grid_of(shape, most_threads):
    """(blocks, threads) for a kernel over these axes."""
    if len(shape) == 1:
        threads = min(256, most_threads)
        return -(-shape[0] // threads), threads
    inner = shape[-1]
    across = 1
    while across < inner and across < min(256, most_threads):
        across *= 2
    across = min(across, most_threads)
    rows = 1
    for extent in shape[:-1]:
        rows *= extent
    along = max(1, min(256, most_threads) // across)
    return (-(-inner // across), min(-(-rows // along), 65535)), (across, along)


@functools.cache
def cast_loop(dtype):
    """The loop that only converts to a dtype."""
    return Loop("astype", device_function(_same), ((dtype,), (dtype,)))


@functools.cache
def converter(type_):
    """The converter of a value to a type in kernels: the type, or a device function for dates and durations, whose
    types cannot be called."""
    if not is_time(type_):
        return type_
    dtype = dtype_of(type_)
    make, unit = dtype.type, numpy.datetime_data(dtype)[0]
    return device_function(_same if unit == "generic" else lambda x: make(x, unit))


def _same(x):
    return x


def device_function(function):
    """`function` for use in kernels."""
    return function if isinstance(function, _core.Dispatcher) else jit(function, device=True)
