# atomic.add at addresses that collide within a warp and between blocks, in global and shared memory.
import numpy as np
from treadle import cuda, int32

from kernels.harness import launch


@cuda.jit
def histogram(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        # CHECK-PTX: {{atom|red}}.global
        cuda.atomic.add(counts, x[i], 1)


@cuda.jit
def private_histogram(x, counts):
    mine = cuda.shared.array(16, int32)
    if cuda.threadIdx.x < 16:
        mine[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        # CHECK-PTX: {{atom|red}}.shared
        cuda.atomic.add(mine, x[i] % 16, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 16:
        cuda.atomic.add(counts, cuda.threadIdx.x, mine[cuda.threadIdx.x])


PTX = [(histogram, "(int64[::1], int32[::1])"), (private_histogram, "(int64[::1], int32[::1])")]


def run():
    x = np.arange(5000) ** 2 % 16
    expected = np.bincount(x, minlength=16)
    for kernel in (histogram, private_histogram):
        for threads in (32, 100, 256):
            grid = -(-x.size // threads) if kernel is histogram else 3
            _, counts = launch(kernel, grid, threads, x, np.zeros(16, np.int32))
            np.testing.assert_array_equal(counts, expected)
