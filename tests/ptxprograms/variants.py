"""The ways in which the programs of a family are compiled to PTX, and launches on the machine."""

import functools
import os

import machine

from ptxprograms import toolkit, units

EXACT = "-fmad=false"
# A driver that takes the newest PTX.
os.environ["FAKE_CUDA_VERSION"] = "13090"

OLD = 75
# What: the compiler, its options, which programs.
VARIANTS = {
    "nvcc sm_90": (toolkit.by_nvcc, ["-arch=sm_90", EXACT], lambda each: True),
    "nvrtc compute_90": (toolkit.by_nvrtc, ["-arch=compute_90", EXACT], lambda each: True),
    "nvcc sm_75": (toolkit.by_nvcc, ["-arch=sm_75", EXACT], lambda each: each.architecture <= OLD),
    "nvrtc compute_75": (toolkit.by_nvrtc, ["-arch=compute_75", EXACT], lambda each: each.architecture <= OLD),
    "nvrtc debug": (toolkit.by_nvrtc, ["-arch=compute_90", "-G", EXACT], lambda each: each.has_debug),
    "nvrtc fast": (toolkit.by_nvrtc, ["-arch=compute_90", "--use_fast_math"], lambda each: each.fast),
}


def names(program):
    return [what for what, (_, _, takes) in VARIANTS.items() if takes(program)]


@functools.cache
def text(family, what):
    """The PTX of all programs of the family that are compiled so. ptxas takes it."""
    compiler, options, takes = VARIANTS[what]
    ptx = compiler(units.text_of([each for each in units.programs_of(family) if takes(each)]), options)
    toolkit.assembled(ptx, "sm_90")
    return ptx


@functools.cache
def module(family, what):
    return machine.load(text(family, what))


def run_on_machine(program, what):
    """The arrays of the program after all of its launches."""
    loaded = module(program.family, what)
    memory, copies = machine.Memory(), {id(array): array.copy() for array in program.arrays()}
    for each in program.launches:
        block = units.parameter_block(each.arguments, lambda array: memory.address(copies[id(array)]))
        machine.launch(loaded, each.kernel, each.grid, each.block, block, each.shared)
    memory.copy_back()
    memory.free()
    return list(copies.values())
