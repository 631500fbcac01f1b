# Transposition through a padded tile, written by rows and read by columns.
import numpy as np
from treadle import cuda, float64

from kernels.harness import launch


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((32, 33), dtype=float64)
    x, y = cuda.grid(2)
    for j in range(0, 32, 8):
        if x < a.shape[1] and y * 4 < a.shape[0] + 1000:
            row = cuda.blockIdx.y * 32 + cuda.threadIdx.y + j
            if row < a.shape[0]:
                tile[cuda.threadIdx.y + j, cuda.threadIdx.x] = a[row, x]
    cuda.syncthreads()
    column = cuda.blockIdx.y * 32 + cuda.threadIdx.x
    for j in range(0, 32, 8):
        row = cuda.blockIdx.x * 32 + cuda.threadIdx.y + j
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y + j]


PTX = [(transpose, "(float64[:, ::1], float64[:, ::1])")]


def run():
    for shape in ((32, 32), (64, 96), (50, 70)):
        a = np.arange(shape[0] * shape[1], dtype=float).reshape(shape)
        grid = -(-shape[1] // 32), -(-shape[0] // 32)
        _, out = launch(transpose, grid, (32, 8), a, np.zeros(shape[::-1]))
        np.testing.assert_array_equal(out, a.T)
