# The right side of `and` and `or` runs only for lanes that need it: for others it may index out of bounds.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def mark(log, i, answer):
    log[i] += 1
    return answer


@cuda.jit
def guarded(x, y, out, log):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0 and y[x[i]] > 2:
        out[i] = 1
    if i >= x.size or x[i] == 0 or 100 // x[i] > 10:
        if i < x.size:
            out[i] += 10
    if i < x.size and (x[i] < 3 and mark(log, i, True) or x[i] > 5 and mark(log, i, False)):
        out[i] += 100


PTX = [(guarded, "(int64[::1], int64[::1], int64[::1], int64[::1])")]


def run():
    x = np.arange(40) % 9 - 1
    x[x < 0] = 0
    check(guarded, 2, 32, x, np.arange(9), np.zeros_like(x), np.zeros_like(x))
