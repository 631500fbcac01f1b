# Chains of comparisons: each operand is evaluated once, and none after the first comparison that is false.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def count(log, i, value):
    log[i] += 1
    return value


@cuda.jit
def chains(x, log, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = 0 < x[i] < 10 < x[i] * 3
        out[i, 1] = 5 > count(log, i, x[i]) >= count(log, i, 2) != 3
        out[i, 2] = x[0] <= x[i] == 4


PTX = [(chains, "(int64[::1], int64[::1], int64[:, ::1])")]


def run():
    x = np.arange(40) % 13 - 2
    check(chains, 2, 32, x, np.zeros(40, np.int64), np.zeros((40, 3), np.int64))
