# Block shapes smaller than a warp, of one warp and of many: each thread runs exactly once.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def visit(out):
    t, d = cuda.threadIdx, cuda.blockDim
    flat = (t.z * d.y + t.y) * d.x + t.x
    block = (cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y) * cuda.gridDim.x + cuda.blockIdx.x
    out[block * d.x * d.y * d.z + flat] += flat + 1


@cuda.jit
def lanes(out):
    t, d = cuda.threadIdx, cuda.blockDim
    out[(t.z * d.y + t.y) * d.x + t.x] = cuda.laneid


PTX = [(visit, "(int64[::1])"), (lanes, "(int32[::1])")]


def run():
    blocks = (1, 2, 31, 32, 33, 64, 1024, (5, 7, 3), (16, 16), (8, 8, 8), (1, 1024), (1, 1, 64), (3, 1, 5), (4, 2))
    for block in blocks:
        threads = int(np.prod(block))
        for grid in (1, 3, (2, 2), (1, 2, 3)):
            count = threads * int(np.prod(grid))
            (out,) = launch(visit, grid, block, np.zeros(count, np.int64))
            np.testing.assert_array_equal(out, np.arange(count) % threads + 1)
        (out,) = launch(lanes, 1, block, np.zeros(threads, np.int32))
        np.testing.assert_array_equal(out, np.arange(threads) % 32)
