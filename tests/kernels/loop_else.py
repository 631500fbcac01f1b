# The else clause of a loop runs for the lanes that did not break.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def is_prime(out):
    i = cuda.grid(1)
    if i < 2 or i >= out.size:
        return
    for d in range(2, i):
        if d * d > i:
            out[i] = 1
            break
        if i % d == 0:
            break
    else:
        out[i] = 2


@cuda.jit
def until(x, limit, out):
    i = cuda.grid(1)
    k = 0
    while k < x[i]:
        if k == limit:
            out[i] = -k
            break
        k += 1
    else:
        out[i] = k + 100


PTX = [(is_prime, "(int64[::1])"), (until, "(int64[::1], int64, int64[::1])")]


def run():
    check(is_prime, 4, 32, np.zeros(120, np.int64))
    check(until, 1, 40, np.arange(40) % 9, 5, np.zeros(40, np.int64))
