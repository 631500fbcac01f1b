# Fortran order: the first index varies fastest.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def outer(x, y, out):
    i, j = cuda.grid(2)
    if i < x.size and j < y.size:
        out[i, j] = 10 * x[i] + y[j]


PTX = [(outer, "(int32[::1], int32[::1], int32[::1, :])")]


def run():
    x, y = np.arange(13, dtype=np.int32), np.arange(9, dtype=np.int32)
    check(outer, (2, 2), (8, 8), x, y, np.zeros((13, 9), np.int32, order="F"))
