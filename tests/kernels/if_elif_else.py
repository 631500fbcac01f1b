# A chain of conditions: each lane runs one arm, the first whose condition is true.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def grade(x, out, rest):
    i = cuda.grid(1)
    if i >= x.size:
        return
    if x[i] < 10:
        out[i] = 1
    elif x[i] < 20:
        out[i] = 2
        rest[i] = x[i]
    elif x[i] < 30 and x[i] % 2 == 0:
        out[i] = 3
    else:
        rest[i] = -x[i]
        out[i] = 4


PTX = [(grade, "(int64[::1], int64[::1], int64[::1])")]


def run():
    x = (np.arange(70) * 37) % 50
    check(grade, 2, 40, x, np.zeros_like(x), np.zeros_like(x))
