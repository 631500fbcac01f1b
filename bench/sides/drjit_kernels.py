# Dr.Jit's side: the same formulas over whole arrays, on its LLVM backend; each run traces, evaluates and waits.
import os

import fresh
import numpy as np

from sides import common

HOME = fresh.FOLDER / "drjit"
HOME.mkdir(parents=True, exist_ok=True)
os.environ["HOME"] = str(HOME)  # where its cache of kernels on disk is

import drjit as dr  # noqa: E402
from drjit import llvm  # noqa: E402

dr.set_thread_count(2)

ARRAYS = {"float32": llvm.Float, "float64": llvm.Float64}


def versions():
    fast = "with" if dr.flag(dr.JitFlag.FastMath) else "without"
    return f"Dr.Jit {dr.__version__}, {dr.thread_count()} threads, {fast} its flag FastMath, as is its default"


def open_case(name, kind="run", **options):
    return Run(name, **options)


def converted(argument):
    """An array as one of Dr.Jit's; a number as one of a single element, so that it is no constant of the kernel."""
    kind = ARRAYS[str(np.asarray(argument).dtype)]
    return kind(argument) if isinstance(argument, np.ndarray) else dr.opaque(kind, argument.item())


class Run(common.KernelRun):
    """Results are arrays that each run makes anew."""

    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        self.function = fresh.function("drjit", name)
        arguments = enumerate(self.workload.arguments)
        self.inputs = [converted(argument) for place, argument in arguments if place not in self.workload.outputs]
        self.results = None

    def run(self):
        self.results = self.function(*self.inputs)
        dr.eval(self.results)
        dr.sync_thread()

    def outputs(self):
        return [np.array(result) for result in self.results]
