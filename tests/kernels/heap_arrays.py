# Arrays of shapes that kernels compute, in the kernel and in a function that stays a call.
import numpy as np
from treadle import cuda

from kernels.harness import ALL_TARGETS, check

TARGETS = ALL_TARGETS


@cuda.jit(device=True, inline="never")
def total(n):
    ones = np.ones(n)
    return ones.sum()


@cuda.jit
def sums(n, out):
    i = cuda.grid(1)
    if i < out.size:
        pairs = np.zeros((n, 2))
        for k in range(n):
            pairs[k, k % 2] = i * k
        out[i] = pairs.sum() + total(n + i)


PTX = [(sums, "void(int64, float64[::1])")]


def run():
    for n in (0, 1, 7):
        check(sums, 3, 32, n, np.zeros(70))
