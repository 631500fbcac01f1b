# The side of Numba's CUDA simulator: the same Python kernels, each thread interpreted by Python.
import os

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import fresh
import numba
import numba_cuda

from sides import common

OURS_TO_NUMBA = [("from treadle import", "from numba import")]


def versions():
    return f"the simulator of numba-cuda {numba_cuda.__version__}, Numba {numba.__version__}"


def open_case(name, kind="run", **options):
    return Run(name, **options)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        kernel = fresh.function("cuda_python", name, OURS_TO_NUMBA)
        self.launch = kernel[common.grid_of(self.workload), self.workload.block]

    def run(self):
        self.launch(*self.workload.arguments)
