"""Prints compilation stages: to stderr those that options of `cuda.jit` request, to stdout those that settings
request."""

import sys

from treadle import _core
from treadle.kernels.options import Options
from treadle.kernels.requests import request_of

# Numba's settings, and the stages that they show.
_SETTINGS = {
    "TREADLE_DUMP_IR": "typed",
    "TREADLE_DUMP_LLVM": "llvm",
    "TREADLE_DUMP_OPTIMIZED": "optimized",
    "TREADLE_DUMP_ASSEMBLY": "asm",
}


def show(function, signature, stages, options):
    """`stages`: the texts of one compilation by their names. `options`: names, comma-separated, of those that the
    function's options ask for, and its rules.
    """
    wanted, rules = options
    if "ptx" in wanted and "ptx" not in stages:  # on the CPU device
        ptx, _ = _core.compile_function(function, signature, request_of(Options({"rules": rules}), 0))
        stages["ptx"] = ptx
    shown = [(stage, sys.stderr) for stage in wanted.split(",") if stage]
    shown += [(stage, sys.stdout) for variable, stage in _SETTINGS.items() if _core.setting(variable)]
    for stage, stream in shown:
        print(f"{stage} of {function.__qualname__} {signature}".center(100, "-"), file=stream)
        print(_text(function, stages, stage), file=stream)


def _text(function, stages, stage):
    if stage == "syntax":
        return _core.syntax(function)
    # On GPUs the driver makes the machine code from the PTX.
    return stages[stage] if stage in stages else stages["ptx"]
