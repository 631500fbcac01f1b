# The child of the differential test: one seed, one program, both executions of it.

import math
import tempfile
import warnings

import sources

from differential import generator, launch


def load_program(program, folder, options=""):
    """The program as a module of functions for Treadle to compile; `options`: more arguments of the kernel's jit."""
    lines = []
    for line in program.source.splitlines():
        if line.startswith("def "):
            more = options if line.startswith("def kernel(") else "device=True"
            lines.append(f"@cuda.jit(rules={program.rules!r}, {more})")
        lines.append(line)
    return sources.load("\n".join(lines) + "\n", folder)


def run_treadle(kernel, program, aliased):
    named = launch.arguments_of(program, aliased)
    kernel[program.grid, program.block](*named.values())
    return {n: v for n, v in named.items() if hasattr(v, "dtype")}


def work(seed):
    """{"differences": [...]} and what the program exercised, or {"rejected": why} where the oracle has no answer."""
    program = generator.make(seed)
    try:
        expected = {aliased: launch.run_oracle(program, aliased) for aliased in (False, True)}
    except launch.Rejected as reason:
        return {"rejected": str(reason)}
    found = []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        module = load_program(program, folder)
        # The same kernel twice: code that assumed arrays apart must not serve the second launch.
        for aliased, (want, _) in expected.items():
            where = "overlapping arrays: " if aliased else ""
            found += [where + line for line in launch.differences(want, run_treadle(module.kernel, program, aliased))]
    result = launch.facts(program, expected[False][1]) | {"differences": found, "block": math.prod(program.block)}
    return result | {"rules": program.rules}
