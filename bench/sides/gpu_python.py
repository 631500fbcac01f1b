# Kernels and copies of a GPU, in CUDA Python: Treadle or numba-cuda, whichever BENCH_CUDA names. Times are the GPU's.
import importlib
import os
import warnings

import fresh
import numpy as np

from sides import common

warnings.filterwarnings("ignore")
MODULE = os.environ["BENCH_CUDA"]
PACKAGE = MODULE.removesuffix(".cuda")
cuda = importlib.import_module(MODULE)
REPEATS = 2 if os.environ.get("TREADLE_GPU_TESTS_ON_STAND_IN") == "1" else 20  # fewer than a queue holds


@cuda.jit
def hold(gate):
    """Until the host opens the gate; for some seconds at most.

    Only loads after a fence of the system see what the host writes: atomic operations are among the threads of a GPU.
    """
    for _ in range(2_000_000):
        cuda.threadfence_system()
        if gate[0] != 0:
            break


def versions():
    name = {"treadle": "treadle", "numba": "numba_cuda"}[PACKAGE]
    return f"{name} {importlib.import_module(name).__version__}, NumPy {np.__version__}"


def open_case(name, kind="kernel", **options):
    return {"kernel": Kernel, "copy": Copy}[kind](name, **options)


class Timed:
    """Queues its work while the gate is closed, so that the host's part is over before the clock starts."""

    def __init__(self):
        self.stream = cuda.stream()
        self.gate = cuda.mapped_array(1, np.int32)
        self.begin, self.end = cuda.event(), cuda.event()

    def run(self):
        self.gate[0] = 0
        hold[1, 1, self.stream](self.gate)
        self.begin.record(self.stream)
        for _ in range(REPEATS):
            self.once()
        self.end.record(self.stream)
        self.gate[0] = 1
        self.stream.synchronize()

    def measured(self):
        return cuda.event_elapsed_time(self.begin, self.end) / 1e3 / REPEATS


class Kernel(Timed):
    def __init__(self, name, tiny=False, size=None):
        super().__init__()
        self.workload = common.workloads.make(name, tiny, **(size or {}))
        replacements = [] if PACKAGE == "treadle" else [("from treadle import", f"from {PACKAGE} import")]
        kernel = fresh.function("cuda_python", name, replacements)
        self.launch = kernel[common.grid_of(self.workload), self.workload.block, self.stream]
        arguments = self.workload.arguments
        self.arguments = [cuda.to_device(one) if isinstance(one, np.ndarray) else one for one in arguments]
        self.once()
        cuda.synchronize()

    def once(self):
        self.launch(*self.arguments)

    def outputs(self):
        for place in self.workload.cleared:
            self.arguments[place].copy_to_device(np.zeros_like(self.workload.arguments[place]))
        self.once()
        cuda.synchronize()
        return [self.arguments[place].copy_to_host() for place in self.workload.outputs]


class Copy:
    """One copy at a time, by the host's clock, as pageable copies keep the host."""

    def __init__(self, name, size, pinned):
        make = cuda.pinned_array if pinned else np.empty
        self.host = make(size, np.uint8)
        self.host[:] = 1
        self.device = cuda.to_device(self.host)
        self.run = {"to the device": self.to_device, "to the host": self.to_host}[name]

    def to_device(self):
        self.device.copy_to_device(self.host)
        cuda.synchronize()

    def to_host(self):
        self.device.copy_to_host(self.host)
