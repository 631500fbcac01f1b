# Nested conditions, four deep, with a different path for each lane.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def classify(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        if v > 0:
            if v % 2 == 0:
                if v % 3 == 0:
                    if v > 20:
                        out[i] = 1
                    else:
                        out[i] = 2
                else:
                    out[i] = 3
            else:
                out[i] = 4
        else:
            if v < -10:
                out[i] = 5
        out[i] += 100


PTX = [(classify, "(int32[::1], int32[::1])")]


def run():
    x = np.arange(-20, 45, dtype=np.int32)
    check(classify, 3, 32, x, np.zeros_like(x))
