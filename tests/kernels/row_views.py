# a[i][j]: a row as a view, then one of its elements; rows passed to device functions.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def total(row):
    s = 0
    for k in range(row.shape[0]):
        s += row[k]
    return s


@cuda.jit
def rows(a, b, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        out[i][0] = a[i][1] + a[-1][i % 3]
        row = a[i]
        out[i][1] = total(row) + total(a[0])
        mine = b[i]
        for k in range(len(mine)):
            mine[k] += row[k]


PTX = [(rows, "(int64[:, ::1], int64[:, ::1], int64[:, ::1])")]


def run():
    check(rows, 1, 8, np.arange(24).reshape(8, 3) * 100, np.ones((8, 3), np.int64), np.zeros((8, 2), np.int64))
