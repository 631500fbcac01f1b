# What launches and memory of CUDA Python cost the host, for the package that BENCH_CUDA names: Treadle, numba-cuda or
# numba-cuda-mlir. The driver is the one that does nothing, so that only these costs remain.
import importlib
import os
import sys
import warnings

import fresh
import numpy as np

from sides.common import looped, many_arrays_body

warnings.filterwarnings("ignore")
MODULE = os.environ["BENCH_CUDA"]
cuda = importlib.import_module(MODULE)


PACKAGES = {"treadle.cuda": "treadle", "numba.cuda": "numba_cuda", "numba_cuda_mlir.cuda": "numba_cuda_mlir"}


def versions():
    package = importlib.import_module(PACKAGES[MODULE])
    return f"{package.__name__} {package.__version__}, NumPy {np.__version__}"


def open_case(name, **options):
    return {case.__name__: case for case in CASES}[name](**options)


def kernel_of(name, parameters, body):
    """A kernel in a file of its own."""
    package, _, member = MODULE.rpartition(".")
    text = f"from {package} import {member}\n\n\n@cuda.jit\ndef kernel({', '.join(parameters)}):\n    {body}\n"
    return fresh.module(f"costs_{name}", text).kernel


class Waiting:
    """Before each loop of launches the device has caught up."""

    def reset(self):
        cuda.synchronize()


class Launch(Waiting):
    """A configured kernel of one warp, over arrays of the device."""

    def __init__(self, arrays):
        names = [f"a{k}" for k in range(arrays)]
        body = f"i = cuda.grid(1)\n    if i < a0.size:\n        {many_arrays_body(arrays)}" if arrays else "pass"
        values = {name: cuda.to_device(np.ones(32, np.float32)) for name in names}
        kernel = kernel_of(f"arrays_{arrays}", names, body)
        self.run = looped(f"k({', '.join(names)})", k=kernel[1, 32], **values)


class Bound(Waiting):
    """A launch of the kernel over 4 arrays that keeps its arguments; of which one is exchanged before each."""

    def __init__(self, exchanges):
        names = [f"a{k}" for k in range(4)]
        body = f"i = cuda.grid(1)\n    if i < a0.size:\n        {many_arrays_body(4)}"
        values = [cuda.to_device(np.ones(32, np.float32)) for _ in range(6)]
        kernel = kernel_of(f"bound_{exchanges:d}", names, body)
        if not hasattr(kernel, "bind"):
            raise ValueError("there are no bound launches")
        launch = kernel.bind(1, 32, 0, *values[:4])
        if not exchanges:
            self.run = looped("launch()", launch=launch)
        else:
            self.run = looped("launch[1] = x; launch(); x, y = y, x", launch=launch, x=values[4], y=values[5])


class Scalars(Waiting):
    """The same with `count` Python numbers, ints and floats in turn."""

    def __init__(self, count):
        names = [f"a{k}" for k in range(count)]
        values = {name: k + 1 if k % 2 == 0 else k + 0.5 for k, name in enumerate(names)}
        self.run = looped(f"k({', '.join(names)})", k=kernel_of("scalars", names, "pass")[1, 32], **values)


class Shown:
    """Another library's array on the device, by the CUDA Array Interface."""

    def __init__(self, array):
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": None}
        self.array = array


class Foreign(Waiting):
    """A configured kernel of one warp, over an array of another library."""

    def __init__(self):
        kernel = kernel_of("foreign", ["a0"], "i = cuda.grid(1)\n    if i < a0.size:\n        a0[i] = 1")
        self.run = looped("k(x)", k=kernel[1, 32], x=Shown(cuda.to_device(np.ones(32, np.float32))))


class Configure:
    """kernel[grid, block] with the configuration of the time before."""

    def __init__(self):
        self.run = looped("k[g, b]", k=kernel_of("configured", [], "pass"), g=1, b=32)


class Tuple:
    """Building the tuple between those brackets."""

    def __init__(self):
        self.run = looped("(g, b)", g=1, b=32)


class Loop:
    """The loop around all of these."""

    def __init__(self):
        self.run = looped("pass")


class EmptyCall:
    """A call of a function of C that returns an integer."""

    def __init__(self):
        self.run = looped("f()", f=sys.getrecursionlimit)


class Allocation:
    """A small device array and its release."""

    def __init__(self):
        self.run = looped("make(100, kind)", make=cuda.device_array, kind=np.float32)


CASES = [Launch, Bound, Scalars, Foreign, Configure, Tuple, Loop, EmptyCall, Allocation]
