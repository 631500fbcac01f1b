# The side of the C++ standard library, compiled by clang-19, on one thread.
import ctypes
import os
import subprocess

import fresh

from sides import common
from sides.openmp import to_c

COMPILER = ["clang++-19", "-std=c++20", "-O3", "-march=native", "-shared", "-fPIC"]


def versions():
    return subprocess.run([COMPILER[0], "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def open_case(name, kind="run", **options):
    return Run(name, **options)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, size=None):
        super().__init__(name, tiny, block, size)
        text, number = fresh.source(f"standard/{name}.cpp")
        fresh.FOLDER.mkdir(parents=True, exist_ok=True)
        path = fresh.FOLDER / f"{name}_{number}.cpp"
        path.write_text(text)
        subprocess.run([*COMPILER, str(path), "-o", f"{path}.so"], check=True)
        self.function = getattr(ctypes.CDLL(f"{path}.so", mode=os.RTLD_NOW), f"{name}_{number}")
        self.function.restype = None
        self.converted = [*map(to_c, self.workload.arguments), *map(ctypes.c_int, self.workload.extents)]

    def run(self):
        self.function(*self.converted)
