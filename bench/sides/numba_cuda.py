# numba-cuda's side: the same Python kernels to PTX, which needs no GPU.
import types
import warnings

import fresh
import numba
import numba_cuda
import numpy as np
from numba import cuda
from numba.cuda import dispatcher

from sides import common

warnings.filterwarnings("ignore")
# Calls of device functions query the current GPU's compute capability; without a GPU, this answers instead.
dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=common.CC)
OURS_TO_NUMBA = [("from treadle import", "from numba import")]


def versions():
    return f"numba-cuda {numba_cuda.__version__}, Numba {numba.__version__}"


def open_case(name, kind="ptx", **options):
    return {"ptx": Ptx, "text": Text, "composed": Composed}[kind](name, **options)


class Ptx:
    def __init__(self, name):
        self.name = name
        self.signature = common.signature(numba, common.workloads.make(name, tiny=True))

    def reset(self):
        self.function = fresh.function("cuda_python", self.name, OURS_TO_NUMBA).py_func

    def run(self):
        cuda.compile_ptx(self.function, self.signature, cc=common.CC)


class Text(Ptx):
    """The PTX itself."""

    def run(self):
        self.text, _ = cuda.compile_ptx(self.function, self.signature, cc=common.CC)

    def outputs(self):
        return [np.frombuffer(self.text.encode(), np.uint8)]


class Composed:
    def __init__(self, name, count, target, inline):
        self.shape, self.count, self.inline = name, count, inline
        self.number = 0

    def reset(self):
        self.number += 1
        text = common.composed_text(self.count, self.shape, self.inline).replace("from treadle", "from numba")
        text = text.replace("kernel", f"kernel_{self.number}")
        self.kernel = getattr(fresh.module(f"composed_{self.count}_{self.number}", text), f"kernel_{self.number}")

    def run(self):
        cuda.compile_ptx(self.kernel.py_func, (numba.float64[::1],), cc=common.CC)
