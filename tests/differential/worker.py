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


def variants(seed):
    """(options of jit, whether outputs overlap) of each launch. Optimising takes most of the time: only a third is."""
    options = "" if seed % 3 == 0 else "opt=0"
    # The same kernel twice: code that assumed separate arrays must not be used for the second launch.
    return [(options, False), (options, True)] if seed % 4 == 0 else [(options, seed % 8 == 1)]


def work(seed):
    """{"differences": [...]} and the constructs the program ran, or {"rejected": why} if the oracle has no answer."""
    program = generator.make(seed)
    launches = variants(seed)
    try:
        expected = {aliased: launch.run_oracle(program, aliased) for _, aliased in launches}
    except launch.Rejected as reason:
        return {"rejected": str(reason)}
    found = []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        module = load_program(program, folder, launches[0][0])
        for _, aliased in launches:
            where = "overlapping arrays: " if aliased else ""
            result = run_treadle(module.kernel, program, aliased)
            found += [where + line for line in launch.differences(expected[aliased][0], result)]
    kernel = expected[launches[0][1]][1]
    result = launch.facts(program, kernel) | {"differences": found, "block": math.prod(program.block)}
    return result | {"rules": program.rules}
