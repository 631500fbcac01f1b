# Two-dimensional grids: rows and columns in the right order.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def index(out):
    x, y = cuda.grid(2)
    width, height = cuda.gridsize(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = x + 1000 * y + 1000000 * (width + height)


PTX = [(index, "(int64[:, ::1])")]


def run():
    for block in ((32, 8), (16, 16), (5, 7), (1, 3), (33, 2)):
        grid = -(-37 // block[0]), -(-23 // block[1])
        check(index, grid, block, np.zeros((23, 37), np.int64))
