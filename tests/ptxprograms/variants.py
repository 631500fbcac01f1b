"""The ways in which a program is compiled to PTX, and its launches on the machine."""

import os

import machine

from ptxprograms import toolkit, units

EXACT = "-fmad=false"
# A driver that takes the newest PTX.
os.environ["FAKE_CUDA_VERSION"] = "13090"


def texts(program):
    """{what: PTX} by both compilers, for an old and a new architecture, without optimisation, with fast math."""
    unit = units.text_of([each for each in units.programs_of(program.family)])
    found = {"nvcc sm_90": toolkit.by_nvcc(unit, ["-arch=sm_90", EXACT])}
    found["nvrtc compute_90"] = toolkit.by_nvrtc(program.text, ["-arch=compute_90", EXACT])
    if program.architecture <= 75:
        old = [each for each in units.programs_of(program.family) if each.architecture <= 75]
        found["nvcc sm_75"] = toolkit.by_nvcc(units.text_of(old), ["-arch=sm_75", EXACT])
        found["nvrtc compute_75"] = toolkit.by_nvrtc(program.text, ["-arch=compute_75", EXACT])
    if program.has_debug:
        found["nvrtc debug"] = toolkit.by_nvrtc(program.text, ["-arch=compute_90", "-G", EXACT])
    if program.fast:
        found["nvrtc fast"] = toolkit.by_nvrtc(program.text, ["-arch=compute_90", "--use_fast_math"])
    return found


def run_on_machine(program, text):
    """The arrays of the program after all of its launches."""
    module = machine.load(text)
    memory, copies = machine.Memory(), {id(array): array.copy() for array in program.arrays()}
    for each in program.launches:
        block = units.parameter_block(each.arguments, lambda array: memory.address(copies[id(array)]))
        machine.launch(module, each.kernel, each.grid, each.block, block, each.shared)
    memory.copy_back()
    memory.free()
    return list(copies.values())
