# numba-cuda's memory and launches on the project's stand-in for the CUDA driver, and the stand-in's share of the time.
# Kernels do nothing there, so only the cost of the calls remains.
import ctypes
import warnings

import numba
import numba_cuda
import numpy as np
from cuda.core import ObjectCode
from numba import cuda
from numba.cuda import codegen

from sides.common import LAUNCHES, looped

warnings.filterwarnings("ignore")
DRIVER = ctypes.CDLL("libcuda.so.1")
# The stand-in reads PTX, not the machine code that numba-cuda links.
codegen.CUDACodeLibrary.get_cubin = lambda library, cc=None: ObjectCode.from_ptx(library.get_asm_str(cc=cc).encode())
PTX = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nobody() { ret; }\n"


def versions():
    return f"numba-cuda {numba_cuda.__version__}, Numba {numba.__version__}, the stand-in of tests/fakedriver"


def open_case(name):
    return {case.__name__: case for case in CASES}[name]()


@cuda.jit
def nothing():
    pass


@cuda.jit
def four(a, b, c, d):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = b[i] + c[i] + d[i]


class DeviceArray:
    def __init__(self):
        self.run = looped("make(100, kind)", make=cuda.device_array, kind=np.float32)


class DeviceSlice:
    def __init__(self):
        self.run = looped("a[2:50]", a=cuda.device_array(100))


class Launch:
    """LAUNCHES launches on a stream; waiting for them is not timed."""

    def __init__(self, kernel, names):
        self.stream = cuda.stream()
        arrays = {name: cuda.to_device(np.ones(32, np.float32)) for name in names}
        self.run = looped(f"k({', '.join(names)})", k=kernel[1, 32, self.stream], **arrays)

    def reset(self):
        self.stream.synchronize()


class LaunchNone(Launch):
    def __init__(self):
        super().__init__(nothing, "")


class LaunchFour(Launch):
    def __init__(self):
        super().__init__(four, "abcd")


class DriverMemory:
    """The stand-in's part of an allocation and its release, called by ctypes."""

    def __init__(self):
        cuda.current_context()
        self.address = ctypes.c_uint64()

    def run(self):
        for _ in range(LAUNCHES):
            assert DRIVER.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(400)) == 0
            assert DRIVER.cuMemFree_v2(self.address) == 0


class DriverLaunch:
    """The stand-in's part of a launch, called by ctypes."""

    def __init__(self):
        cuda.current_context()
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        assert DRIVER.cuModuleLoadData(ctypes.byref(module), PTX) == 0
        assert DRIVER.cuModuleGetFunction(ctypes.byref(self.function), module, b"nobody") == 0

    def run(self):
        for _ in range(LAUNCHES):
            assert DRIVER.cuLaunchKernel(self.function, 1, 1, 1, 32, 1, 1, 0, None, None, None) == 0

    def reset(self):
        assert DRIVER.cuCtxSynchronize() == 0


CASES = [DeviceArray, DeviceSlice, LaunchNone, LaunchFour, DriverMemory, DriverLaunch]
