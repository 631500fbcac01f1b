# Returned values of different number types are converted to one result type.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def choose(x):
    if x > 10:
        return x
    if x > 5:
        return 0.5
    while x > 0:
        if x == 2:
            return 2.25
        x -= 1
    return True


@cuda.jit
def apply(out):
    i = cuda.grid(1)
    out[i] = choose(i) / 2


PTX = [(apply, "(float64[::1])")]


def run():
    check(apply, 1, 20, np.zeros(20))
