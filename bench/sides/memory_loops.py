# Memory and streams of the CPU device, and the equivalents in NumPy and memcpy, each in loops of LAUNCHES steps.
import ctypes
import platform

import numpy as np
import treadle
from treadle import cuda, float32

from sides.common import looped

COPIED = 4 << 20
LIBC = ctypes.CDLL(None)
LIBC.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def versions():
    return f"treadle {treadle.__version__}, Python {platform.python_version()}, NumPy {np.__version__}"


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
        self.run = looped("make(100, kind)", make=cuda.device_array, kind=float32)


class NumpyEmpty:
    def __init__(self):
        self.run = looped("make(100, kind)", make=np.empty, kind=np.float32)


class DeviceSlice:
    def __init__(self):
        self.run = looped("a[2:50]", a=cuda.device_array(100))


class NumpySlice:
    def __init__(self):
        self.run = looped("a[2:50]", a=np.empty(100))


class Copied:
    """One copy of 4 MiB per run, into memory that has been written before."""

    def __init__(self):
        self.host = np.ones(COPIED, np.uint8)
        self.other = np.ones(COPIED, np.uint8)
        self.device = cuda.to_device(self.host)


class CopyToHost(Copied):
    def run(self):
        self.device.copy_to_host(self.host)


class CopyToDevice(Copied):
    def run(self):
        cuda.to_device(self.host, to=self.device)


class Memcpy(Copied):
    def __init__(self):
        super().__init__()
        # The same target memory as in the other cases: the device array's.
        self.target, self.source = self.device._address, self.host.ctypes.data

    def run(self):
        LIBC.memcpy(self.target, self.source, COPIED)


class LaunchNone:
    def __init__(self):
        self.run = looped("k[1, 32]()", k=nothing)


class LaunchFour:
    def __init__(self):
        arrays = {name: cuda.to_device(np.ones(32, np.float32)) for name in "abcd"}
        self.run = looped("k[1, 32](a, b, c, d)", k=four, **arrays)


class EnqueueAwake:
    """LAUNCHES launches on a stream whose thread is always awake; waiting for them is not timed."""

    def __init__(self):
        self.stream = cuda.stream()
        arrays = {name: cuda.to_device(np.ones(32, np.float32)) for name in "abcd"}
        self.run = looped("k(a, b, c, d)", k=four[1, 32, self.stream], **arrays)

    def reset(self):
        self.stream.synchronize()


class EnqueueAsleep:
    """One launch on a stream whose thread sleeps."""

    def __init__(self):
        import time

        self.wait = time.sleep
        self.stream = cuda.stream()
        self.arrays = [cuda.to_device(np.ones(32, np.float32)) for _ in range(4)]
        self.launch = four[1, 32, self.stream]

    def reset(self):
        self.stream.synchronize()
        self.wait(0.001)

    def run(self):
        self.launch(*self.arrays)


class EnqueueAndWait(EnqueueAsleep):
    """The same, and its completion."""

    def run(self):
        self.launch(*self.arrays)
        self.stream.synchronize()


CASES = [
    DeviceArray, NumpyEmpty, DeviceSlice, NumpySlice, CopyToHost, CopyToDevice, Memcpy, LaunchNone, LaunchFour,
    EnqueueAwake, EnqueueAsleep, EnqueueAndWait,
]  # fmt: skip
