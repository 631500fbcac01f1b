# The PTX generator's code without a GPU: the machine of the stand-in for the driver runs it.
"""`compiled` returns the text of a stage, `load` makes a launchable function of a kernel's PTX."""

import ctypes
import os
import re

import machine
import numpy as np
import treadle
from treadle import _core
from treadle.kernels import compiling

SIGNATURE = re.compile(r"^define [^@]*ptx_kernel void @([\w$]+)\((.*)\)", re.MULTILINE)
C_TYPES = {"ptr": ctypes.c_uint64, "i64": ctypes.c_int64, "i32": ctypes.c_int32, "i16": ctypes.c_int16,
           "i8": ctypes.c_int8, "float": ctypes.c_float, "double": ctypes.c_double}  # fmt: skip


def capability():
    """Of the stand-in's GPU, which code is made for."""
    return int(os.environ.get("FAKE_CUDA_CAPABILITY", "90"))


def type_of(value):
    """The type of an argument: an array of NumPy, a NumPy scalar, or a Python number."""
    if not isinstance(value, np.ndarray):
        return {int: treadle.int64, float: treadle.float64}.get(type(value)) or getattr(treadle, value.dtype.name)
    element = treadle.from_dtype(value.dtype)
    if value.flags.c_contiguous:
        return element[(*[slice(None)] * (value.ndim - 1), slice(None, None, 1))]
    if value.flags.f_contiguous:
        return element[(slice(None, None, 1), *[slice(None)] * (value.ndim - 1))]
    return element[(slice(None),) * value.ndim]


def signature_of(named):
    """Of a kernel with these arguments, by name."""
    return _core.Signature([type_of(value) for value in named.values()], treadle.void)


def compiled(kernel, signature, stage, facts=None, opt=3):
    """The text of a stage, such as "optimized" or "ptx", of the kernel's PTX for the stand-in's compute capability."""
    function, options = compiling._request(kernel, {"device": False, "opt": bool(opt)})
    request = compiling.request_of(options, capability(), facts)
    request.stage = stage
    return _core.compile_function(function, signature, request)[0]


def parameters_of(ir):
    """(name of the kernel, [(C type, name)]) from the kernel's definition."""
    name, text = SIGNATURE.search(ir).groups()
    found = []
    for parameter in re.findall(r"(\w+)(?: addrspace\(\d+\))?[^,%]*%([^,\s]+)", text):
        found.append((C_TYPES[parameter[0]], parameter[1].strip('"')))
    return name, found


def leaf(name, arguments, memory):
    """The value of the parameter with that name, as PtxEntry names them."""
    base, _, rest = name.partition(".")
    value = arguments[base]
    if not hasattr(value, "ctypes"):
        return value
    kind, _, axis = rest.partition(".")
    return {"": lambda: memory.address(value), "shape": lambda: value.shape[int(axis)],
            "stride": lambda: value.strides[int(axis)]}[kind]()  # fmt: skip


def load(kernel, signature, facts=None, opt=3):
    """A function launch(grid, block, {name: argument}) that runs the kernel's PTX and writes arrays back."""
    name, parameters = parameters_of(compiled(kernel, signature, "optimized", facts, opt))
    module = machine.load(compiled(kernel, signature, "ptx", facts, opt))
    fields = [(f"p{k}", kind) for k, (kind, _) in enumerate(parameters)]
    block_of = type("Block", (ctypes.Structure,), {"_fields_": fields})

    def launch(grid, block, arguments):
        memory = machine.Memory()
        values = block_of(*(leaf(name, arguments, memory) for _, name in parameters))
        machine.launch(module, name, grid, block, values)
        memory.copy_back()
        memory.free()

    return launch
