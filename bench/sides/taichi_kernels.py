# Taichi's side: the same formulas as Taichi kernels.
import fresh
import numpy as np
import taichi as ti

from sides import common

ti.init(arch=ti.cpu, offline_cache=False, cpu_max_num_threads=2, log_level=ti.ERROR)


def versions():
    return f"Taichi {'.'.join(map(str, ti.__version__))}, NumPy {np.__version__}"


def open_case(name, kind="cpu", **options):
    return {"run": Run, "cpu": CpuCode}[kind](name, **options)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        self.function = fresh.function("taichi", self.workload.loops or name)

    def run(self):
        self.function(*self.workload.arguments)


class CpuCode:
    def __init__(self, name):
        self.name = name
        self.workload = common.workloads.make(name, tiny=True)

    def reset(self):
        self.function = fresh.function("taichi", self.name)

    def run(self):
        self.function(*self.workload.arguments)
