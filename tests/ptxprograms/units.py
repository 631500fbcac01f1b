"""Units: a family's programs in one text, each in its own namespace; and the library that runs them on the host."""

import ctypes
import functools
import re

import numpy as np

from ptxprograms import launches, toolkit

KERNEL = re.compile(r"^KERNEL void (?:__launch_bounds__\([^)]*\) )?(\w+)\(", re.M)
ENTRY = """extern "C" void host_{name}(const unsigned *shape, const unsigned char *parameters) {{
  host::launch({space}::{name}, shape, parameters);
}}
"""


def is_cudas(header):
    return (toolkit.root() / "include" / header).exists()


def is_known_on_host(header):
    """Of CUDA's headers, those that the shim has."""
    return (toolkit.HERE / "host" / header).exists() or not is_cudas(header)


def text_of(programs, keeps=lambda header: True):
    """Headers come first, outside of the namespaces; NVRTC has none of the host's."""
    names = sorted({name for each in programs for name in re.findall(r"^#include <(.*)>", each.text, re.M)})
    lines = ['#include "program.h"', *(f"#include <{name}>" for name in names if keeps(name) and is_cudas(name))]
    lines += ["#ifndef __CUDACC_RTC__", *(f"#include <{name}>" for name in names if not is_cudas(name)), "#endif"]
    for each in programs:
        lines += [f"namespace {each.name}_program {{", f'#line 1 "{each.name}.cu"', each.text, "}"]
    return "\n".join(lines) + "\n"


def host_text(programs):
    entries = [
        ENTRY.format(name=kernel, space=each.name + "_program")
        for each in programs
        for kernel in dict.fromkeys(KERNEL.findall(each.text))
    ]
    return text_of(programs, is_known_on_host) + "".join(entries)


@functools.cache
def programs_of(family):
    return launches.family(family)


@functools.cache
def host_library(family):
    return ctypes.CDLL(str(toolkit.by_host(host_text(programs_of(family)))))


def parameter_block(arguments, address):
    """A ctypes structure; `address(array)` is what takes the place of an array."""
    fields, values = [], []
    for at, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray) and argument.ndim:
            fields.append((f"p{at}", ctypes.c_uint64))
            values.append(address(argument))
        elif argument.dtype.names:
            fields.append((f"p{at}", structure_of(argument.dtype)))
            values.append(structure_of(argument.dtype).from_buffer_copy(argument.tobytes()))
        else:
            fields.append((f"p{at}", np.ctypeslib.as_ctypes_type(argument.dtype)))
            values.append(argument.item())
    block = type("Block", (ctypes.Structure,), {"_fields_": fields})
    return block(*values)


@functools.cache
def structure_of(dtype):
    words = {8: ctypes.c_uint64, 4: ctypes.c_uint32, 2: ctypes.c_uint16, 1: ctypes.c_uint8}
    word = words[dtype.alignment]
    return type("Words", (ctypes.Structure,), {"_fields_": [("words", word * (dtype.itemsize // dtype.alignment))]})


def run_on_host(program):
    """The arrays of the program after all of its launches."""
    copies = {id(array): array.copy() for array in program.arrays()}
    library = host_library(program.family)
    for each in program.launches:
        block = parameter_block(each.arguments, lambda array: copies[id(array)].ctypes.data)
        shape = (ctypes.c_uint32 * 7)(*each.grid, *each.block, each.shared)
        getattr(library, "host_" + each.kernel)(shape, ctypes.byref(block))
    return list(copies.values())
