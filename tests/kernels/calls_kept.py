# Device functions that are kept as functions of their own: called under a mask, from loops, with several results.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True, inline="never")
def step(x, log, i):
    log[i] += 1
    if x % 2 == 0:
        return x // 2, 1
    if x < 0:
        return -x, 0
    return 3 * x + 1, 2


@cuda.jit
def walk(x, log, out):
    i = cuda.grid(1)
    if i < x.size:
        value, total = x[i], 0
        while value > 1:
            value, kind = step(value, log, i)
            if kind == 2 and value > 100:
                continue
            total += kind
        if i % 3 == 0:
            value, kind = step(-i, log, i)
            total += 1000 * kind
        out[i] = total * 10 + value


PTX = [(walk, "(int64[::1], int64[::1], int64[::1])")]


def run():
    x = np.arange(70)
    check(walk, 3, 32, x, np.zeros_like(x), np.zeros_like(x))
