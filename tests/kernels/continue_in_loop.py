# `continue` skips the rest of one iteration only, and only for the lanes that execute it.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def sums(x, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        k = 0
        while k < 20:
            k += 1
            if (k + i) % 3 == 0:
                continue
            total += x[k]
            if total % 2 == 1:
                continue
            total += 1000
        out[i] = total


PTX = [(sums, "(int64[::1], int64[::1])")]


def run():
    check(sums, 2, 33, np.arange(21) ** 2, np.zeros(60, np.int64))
