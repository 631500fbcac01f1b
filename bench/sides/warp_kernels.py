# Warp's side: the same formulas as Warp kernels on its CPU device, in tiles if threads cooperate.
import fresh
import numpy as np
import warp as wp

from sides import common

wp.config.log_level = wp.LOG_ERROR
wp.config.enable_backward = False
wp.config.kernel_cache_dir = str(fresh.FOLDER / "warp")
wp.init()
wp.set_device("cpu")


def versions():
    return f"Warp {wp.__version__}, one thread: its CPU device has no more"


def open_case(name, kind="run", **options):
    return Run(name, **options)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        self.function = fresh.function("warp", self.workload.loops or name)
        self.converted = [
            wp.array(argument, copy=False, device="cpu") if isinstance(argument, np.ndarray) else argument.item()
            for argument in self.workload.arguments
        ]

    def run(self):
        self.function(*self.converted)
