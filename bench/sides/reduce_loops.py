# Sums and maxima of an array on the CPU device: cuda.reduce, another design of it, and NumPy on one and two threads.
import platform
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from harness import THREADS


def versions():
    return f"Python {platform.python_version()}, NumPy {np.__version__}"


def open_case(name, function, dtype, count):
    x = np.random.default_rng(1).uniform(0, 1, count).astype(dtype)
    return CASES[name](function, x)


class Case:
    """`combine` is the kernel's function, `whole` NumPy's."""

    def __init__(self, function, x):
        self.x = x
        self.whole = {"sum": np.sum, "max": np.max}[function]
        self.make(function)

    def make(self, function):
        pass

    def outputs(self):
        self.run()
        return [np.array([self.result]), np.array([self.whole(self.x.astype(np.float64))])]


class NumpyOne(Case):
    def run(self):
        self.result = self.whole(self.x)


class NumpyThreads(Case):
    def make(self, function):
        self.pool = ThreadPoolExecutor(THREADS)
        self.parts = np.array_split(self.x, THREADS)

    def run(self):
        self.result = self.whole(list(self.pool.map(self.whole, self.parts)))


class Device(Case):
    """cuda.reduce of a device array."""

    def make(self, function):
        from treadle import cuda

        self.reduce, self.array = cuda.reduce(combination(function)), cuda.to_device(self.x)

    def run(self):
        self.result = self.reduce(self.array)


class Host(Device):
    """cuda.reduce of a NumPy array."""

    def make(self, function):
        super().make(function)
        self.array = self.x


class Strided(Device):
    """As numba-cuda designs it: at most 64 blocks of 128 threads, which go through the array side by side and combine
    what they have in shared memory; launched again for the blocks' results."""

    def make(self, function):
        super().make(function)
        self.kernel = strided_reduction(combination(function), self.x.dtype)

    def run(self):
        from treadle import cuda

        blocks = min(64, self.array.size // 128)
        parts = cuda.device_array(blocks, self.x.dtype)
        self.kernel[blocks, 128](self.array, parts)
        self.kernel[1, blocks](parts, parts)
        self.result = parts[0]


def combination(function):
    return {"sum": lambda a, b: a + b, "max": lambda a, b: max(a, b)}[function]


def strided_reduction(function, dtype):
    from treadle import cuda

    combined = cuda.jit(function, device=True)

    @cuda.jit
    def reduce_strided(arr, parts):
        shared = cuda.shared.array((4, 33), dtype)
        tid = cuda.threadIdx.x
        warp, lane = tid // 32, tid % 32
        first = cuda.grid(1)
        mine = arr[first]
        for i in range(first + cuda.gridsize(1), arr.size, cuda.gridsize(1)):
            mine = combined(mine, arr[i])
        row = shared[warp, :]
        row[lane] = mine
        cuda.syncwarp()
        width = 16
        while width > 0:
            if lane < width:
                row[lane] = combined(row[lane], row[lane + width])
            cuda.syncwarp()
            width //= 2
        cuda.syncthreads()
        if tid == 0:
            total = shared[0, 0]
            for other in range(1, cuda.blockDim.x // 32):
                total = combined(total, shared[other, 0])
            parts[cuda.blockIdx.x] = total

    return reduce_strided


CASES = {"device": Device, "host": Host, "strided": Strided, "NumPy one": NumpyOne, "NumPy": NumpyThreads}
