# The child of the differential test: one seed, one program, run by the oracle, on the CPU device and as PTX.
"""A `Variant` is one way to run a program with Treadle. Every program has one or two on the CPU and one in PTX."""

import math
import os
import tempfile
import warnings
from typing import NamedTuple

import machine
import sources

from differential import generator, launch, ptx_code

ROOT = sources.Path(__file__).resolve().parents[2]
OWN_MATH = {"TREADLE_LIBDEVICE": str(ROOT / "build/dev/generated/device_math.bc")}
ENVIRONMENTS = [{"FAKE_CUDA_CAPABILITY": capability, **math} for capability in ("75", "90") for math in ({}, OWN_MATH)]
"""The GPU that PTX is made for and runs on, and whose math it calls: a process can have one of each."""


class Variant(NamedTuple):
    """`facts`: what PTX may assume; None: the CPU device runs it. `aliased`: whether outputs overlap."""

    aliased: bool
    opt: int
    facts: dict | None = None


def environment_of(seed):
    return ENVIRONMENTS[seed // 24 % len(ENVIRONMENTS)]


def load_program(program, folder, options=""):
    """The program as a module of functions for Treadle to compile; `options`: more arguments of the kernel's jit."""
    lines = []
    for line in program.source.splitlines():
        if line.startswith("def "):
            more = options if line.startswith("def kernel(") else "device=True"
            lines.append(f"@cuda.jit(rules={program.rules!r}, {more})")
        lines.append(line)
    return sources.load("\n".join(lines) + "\n", folder)


def facts_of(program, aliased):
    """Everything that is true of the program's launch."""
    arrays = [v for v in launch.arguments_of(program, aliased).values() if hasattr(v, "dtype")]
    offsets = [v.ctypes.data - machine.root_of(v).ctypes.data for v in arrays]
    disjoint = not aliased and ("ma", "repeated") not in program.extras
    return {
        "offsets_fit_int32": True, "grid_fits_int32": True, "aligned16": not any(offset % 16 for offset in offsets),
        "no_overlap": disjoint, "full_warps": math.prod(program.block) % 32 == 0,
    }  # fmt: skip


def run(kernel, program, variant):
    """The arrays after a launch of the program's kernel, as the variant has it."""
    named = launch.arguments_of(program, variant.aliased)
    if variant.facts is None:
        kernel[program.grid, program.block](*named.values())
    else:
        start = ptx_code.load(kernel, ptx_code.signature_of(named), variant.facts, variant.opt)
        start(program.grid, program.block, named)
    return {n: v for n, v in named.items() if hasattr(v, "dtype")}


def variants(program):
    """Optimising for the CPU takes most of the time: only a third is."""
    seed = program.seed
    opt = 3 if seed % 3 == 0 else 0
    # The same kernel twice: code that assumed separate arrays must not be used for the second launch.
    aliased = (False, True) if seed % 4 == 0 else (seed % 8 == 1,)
    in_ptx = seed // 8 % 3
    facts = facts_of(program, aliased[-1]) if in_ptx else {}
    return [*(Variant(a, opt) for a in aliased), Variant(aliased[-1], 0 if in_ptx == 2 else 3, facts)]


def options_of(variant):
    return "" if variant.opt else "opt=0"


def name_of(variant):
    if variant.facts is None:
        return f"CPU, opt={variant.opt}"
    facts = "facts" if variant.facts else "no facts"
    math = "our math" if "TREADLE_LIBDEVICE" in os.environ else "libdevice, if there is one"
    return f"PTX, {ptx_code.capability()}, opt={variant.opt}, {facts}, {math}"


def ptx_of(kernel, program, variant):
    """(text, architecture), for ptxas."""
    signature = ptx_code.signature_of(launch.arguments_of(program, variant.aliased))
    text = ptx_code.compiled(kernel, signature, "ptx", variant.facts, variant.opt)
    return text, f"sm_{ptx_code.capability()}"


def work(seed):
    """What the program ran, {"differences": [...], "ptx": [text and architecture], ...}, or {"rejected": why} if the
    oracle has no answer."""
    program = generator.make(seed)
    ways = variants(program)
    try:
        oracle = launch.translated(program)
        expected = {aliased: launch.run_oracle(oracle, program, aliased) for aliased in {way.aliased for way in ways}}
    except launch.Rejected as reason:
        return {"rejected": str(reason)}
    found = []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        kernel = load_program(program, folder, options_of(ways[0])).kernel
        for way in ways:
            have = run(kernel, program, way)
            found += [f"{way}: {line}" for line in launch.differences(expected[way.aliased], have)]
        ptx = [ptx_of(kernel, program, ways[-1])] if seed % 5 == 0 else []
    result = launch.facts(program, oracle) | {"differences": found, "ptx": ptx, "rules": program.rules}
    return result | {"variants": [name_of(way) for way in ways]}
