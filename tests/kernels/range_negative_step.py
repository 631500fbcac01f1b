# Counting down, in steps of one and of more.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def countdown(x, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        value = 0
        for k in range(i, -1, -1):
            value = value * 3 % 1009 + x[k]
        for k in range(10, i, -3):
            value += k
        out[i] = value


PTX = [(countdown, "(int32[::1], int64[::1])")]


def run():
    check(countdown, 2, 32, np.arange(50, dtype=np.int32) * 7 % 11, np.zeros(50, np.int64))
