# OpenMP C's side: the same formulas in C, compiled by clang-19 with several sets of flags.
import ctypes
import os
import subprocess

import fresh
import numpy as np

from sides import common

CLANG = "clang-19"
NATURAL = ["-O3", "-march=native", "-Wno-pass-failed"]
VARIANTS = {
    "natural": [],
    "simd": ["-DUSE_SIMD"],
    "fast": ["-ffast-math"],
    "wide": ["-mprefer-vector-width=512"],
    "simd wide": ["-DUSE_SIMD", "-mprefer-vector-width=512"],
    "fast wide": ["-ffast-math", "-mprefer-vector-width=512"],
    "simd fast": ["-DUSE_SIMD", "-ffast-math"],
    "simd fast wide": ["-DUSE_SIMD", "-ffast-math", "-mprefer-vector-width=512"],
    # For the limit of memory bandwidth.
    "nontemporal": ["-DUSE_NONTEMPORAL", "-mprefer-vector-width=512"],
    # In addition: vector math from libmvec, which no flag above enables.
    "libmvec": ["-DUSE_SIMD", "-ffast-math", "-mprefer-vector-width=512", "-fveclib=libmvec"],
}


def versions():
    return subprocess.run([CLANG, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def open_case(name, kind="run", **options):
    return Run(name, **options)


def build(name, variant):
    """The C function `name` of kernels/openmp/NAME.c, built with one set of flags."""
    text, number = fresh.source(f"openmp/{name}.c")
    fresh.FOLDER.mkdir(parents=True, exist_ok=True)
    path = fresh.FOLDER / f"{name}_{number}.c"
    path.write_text(text)
    include = ["-I", str(fresh.BENCH / "kernels" / "openmp")]
    libraries = ["-fopenmp", "-shared", "-fPIC", "-lmvec", "-lm"]
    command = [CLANG, *NATURAL, *VARIANTS[variant], *include, str(path), "-o", f"{path}.so", *libraries]
    subprocess.run(command, check=True)
    return getattr(ctypes.CDLL(f"{path}.so", mode=os.RTLD_NOW), f"{name}_{number}")


def to_c(argument):
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    kinds = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int32": ctypes.c_int, "int64": ctypes.c_int64}
    return kinds[str(argument.dtype)](argument)


class Run(common.KernelRun):
    def __init__(self, name, tiny=False, block=None, variant="natural", size=None):
        super().__init__(name, tiny, block, size)
        self.function = build(self.workload.loops or name, variant)
        self.function.restype = None
        self.converted = [*map(to_c, self.workload.arguments), *map(ctypes.c_int, self.workload.extents)]

    def run(self):
        self.function(*self.converted)
