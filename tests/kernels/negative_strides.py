# Reversed views: negative strides on one axis and on both.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def subtract(a, b, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j] - b[i, j]


PTX = [(subtract, "(int64[:, :], int64[:, :], int64[:, :])")]


def run():
    base = np.arange(30).reshape(5, 6)
    for a in (base[::-1], base[:, ::-1], base[::-1, ::-1], base[::-2, ::-3]):
        check(subtract, 1, (8, 8), a, base[: a.shape[0], : a.shape[1]], np.zeros(a.shape, np.int64))
        check(subtract, 1, (8, 8), base[: a.shape[0], : a.shape[1]], a, np.zeros(a.shape, np.int64)[::-1])
