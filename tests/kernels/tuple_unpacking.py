# Tuples: swaps, unpacking of results and shapes, nested unpacking, array elements as targets.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def divide(a, b):
    return a // b, a % b


@cuda.jit
def unpack(x, out):
    rows, columns = x.shape
    i = cuda.grid(1)
    if i < rows:
        a, b = x[i, 0], x[i, 1]
        a, b = b, a
        q, r = divide(a, 7)
        (c, d), e = (q, r), a + b
        out[i, 0], out[i, 1] = c, d
        out[i, 2] = e
        out[i, 1], out[i, 0] = out[i, 0], out[i, 1]
        out[i, 3] = columns


PTX = [(unpack, "(int64[:, ::1], int64[:, ::1])")]


def run():
    check(unpack, 2, 32, np.arange(100).reshape(50, 2) * 13, np.zeros((50, 4), np.int64))
