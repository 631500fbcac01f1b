# The side of a conditional expression that is not taken does not run.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def touch(log, i):
    log[i] += 1
    return 7


@cuda.jit
def pick(x, y, log, out):
    i = cuda.grid(1)
    n = x.size
    left = x[i - 1] if 0 < i <= n else -1
    ratio = 1000 // y[i] if i < n and y[i] != 0 else touch(log, i)
    nested = (1 if left > 2 else 2 if left > 0 else 3) if ratio > 100 else (x[i] if i < n else -5)
    if i < n:
        out[i] = left * 10000 + ratio * 10 + nested


PTX = [(pick, "(int64[::1], int64[::1], int64[::1], int64[::1])")]


def run():
    x = np.arange(50) % 4
    check(pick, 2, 32, x, np.arange(50) % 7, np.zeros(64, np.int64), np.zeros(50, np.int64))
