# Assignment expressions, in conditions and loops.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def assign(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if (v := x[i] * 2) > 10:
            out[i] = v
        k = 0
        while (w := k * k) < v:
            k += 1
        out[i] += 1000 * w + k


PTX = [(assign, "(int64[::1], int64[::1])")]


def run():
    check(assign, 1, 40, np.arange(40), np.zeros(40, np.int64))
