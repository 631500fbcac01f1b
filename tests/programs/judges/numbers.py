# Judges programs over numbers by Python on typed numbers: each runs by the oracle, on the CPU device and as PTX.
"""A `Variant` is one way to run a program with Treadle. Every program has one or two on the CPU and one in PTX."""

import math
import os
import tempfile
import warnings
from typing import NamedTuple

import machine
import sources
from oracle.kernel_values import Watch
from ptx import ptx_code

from programs.grammar.numbers import make
from programs.judges import oracle

ROOT = sources.Path(__file__).resolve().parents[3]
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
    """Everything that is true of the program's oracle."""
    arrays = [v for v in oracle.arguments_of(program, aliased).values() if hasattr(v, "dtype")]
    offsets = [v.ctypes.data - machine.root_of(v).ctypes.data for v in arrays]
    disjoint = not aliased and ("ma", "repeated") not in program.extras
    return {
        "offsets_fit_int32": True, "grid_fits_int32": True, "aligned16": not any(offset % 16 for offset in offsets),
        "no_overlap": disjoint, "full_warps": math.prod(program.block) % 32 == 0,
    }  # fmt: skip


def run(kernel, program, variant):
    """The arrays after a launch of the program's kernel, as the variant has it."""
    named = oracle.arguments_of(program, variant.aliased)
    if variant.facts is None:
        kernel[program.grid, program.block](*named.values())
    else:
        start = ptx_code.load(kernel, ptx_code.signature_of(named), variant.facts, variant.opt)
        start(program.grid, program.block, named)
    return {n: v for n, v in named.items() if hasattr(v, "dtype")}


def ways(program):
    """Variants. Optimising for the CPU takes most of the time: only a third is."""
    seed = program.seed
    opt = 3 if seed % 3 == 0 else 0
    # The same kernel twice: code that assumed separate arrays must not be used for the second oracle.
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
    signature = ptx_code.signature_of(oracle.arguments_of(program, variant.aliased))
    text = ptx_code.compiled(kernel, signature, "ptx", variant.facts, variant.opt)
    return text, f"sm_{ptx_code.capability()}"


def work(seed):
    """What the program ran, {"differences": [...], "ptx": [text and architecture], ...}, or {"rejected": why} if the
    oracle has no answer."""
    program = make(seed)
    variants = ways(program)
    try:
        translated = oracle.translated(program)
        expected = {
            aliased: oracle.run_oracle(translated, program, aliased) for aliased in {way.aliased for way in variants}
        }
    except oracle.Rejected as reason:
        return {"rejected": str(reason)}
    found = []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        kernel = load_program(program, folder, options_of(variants[0])).kernel
        for way in variants:
            have = run(kernel, program, way)
            found += [f"{way}: {line}" for line in oracle.differences(expected[way.aliased], have)]
        ptx = [ptx_of(kernel, program, variants[-1])] if seed % 5 == 0 else []
    result = oracle.facts(program, translated) | {"differences": found, "ptx": ptx, "rules": program.rules}
    return result | {"variants": [name_of(way) for way in variants]}


# --- smaller programs -------------------------------------------------------------------------------------------------


def program_of(seed, source):
    program = make(seed)
    program.source = source
    return program


def expected_of(program, way):
    """Fails where the oracle has no answer, or threads race."""
    return oracle.run_oracle(oracle.translated(program, Watch()), program, Variant(*way).aliased)


def is_valid(seed, source, way):
    return expected_of(program_of(seed, source), way) is not None


def failure(seed, source, way):
    program, variant = program_of(seed, source), Variant(*way)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        found = run(load_program(program, folder, options_of(variant)).kernel, program, variant)
    return "differs" if oracle.differences(expected_of(program, way), found) else ""
