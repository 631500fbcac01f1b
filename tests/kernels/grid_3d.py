# Three-dimensional grids and all the special registers.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def registers(out):
    x, y, z = cuda.grid(3)
    t, b, d, g = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
        out[x, y, z, 0] = t.x + 100 * t.y + 10000 * t.z
        out[x, y, z, 1] = b.x + 100 * b.y + 10000 * b.z
        out[x, y, z, 2] = d.x + 100 * d.y + 10000 * d.z
        out[x, y, z, 3] = g.x + 100 * g.y + 10000 * g.z
        out[x, y, z, 4] = cuda.warpsize


PTX = [(registers, "(int32[:, :, :, ::1])")]


def run():
    for grid, block in (((2, 2, 2), (5, 3, 2)), ((1, 2, 3), (8, 2, 1)), ((3, 1, 1), (4, 4, 4))):
        check(registers, grid, block, np.zeros((9, 6, 4, 5), np.int32))
