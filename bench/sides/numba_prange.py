# Numba's CPU side: the same formulas in parallel loops, and calls with many arrays.
import fresh
import llvmlite
import numba
import numpy as np

from sides import common


def versions():
    return f"Numba {numba.__version__}, llvmlite {llvmlite.__version__}, NumPy {np.__version__}"


def open_case(name, kind="run", **options):
    return {"run": Run, "cpu": CpuCode, "launch": Launch}[kind](name, **options)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        self.function = fresh.function("prange", self.workload.loops or name)

    def run(self):
        self.function(*self.workload.arguments)


class CpuCode:
    def __init__(self, name):
        self.name = name
        self.workload = common.workloads.make(name, tiny=True)

    def reset(self):
        self.function = fresh.function("prange", self.name)

    def run(self):
        self.function(*self.workload.arguments)


class Launch:
    def __init__(self, name, arrays, configured):
        parameters = ", ".join(f"a{k}" for k in range(arrays))
        text = f"from numba import njit\n\n\n@njit\ndef kernel({parameters}):\n    for i in range(a0.size):\n"
        text += f"        {common.many_arrays_body(arrays)}\n"
        kernel = fresh.module(f"launch_{arrays}", text).kernel
        values = {f"a{k}": np.ones(32, np.float32) for k in range(arrays)}
        self.run = common.launch_loop(f"k({parameters})", {"k": kernel, **values})
