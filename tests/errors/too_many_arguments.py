# A device function called with too many arguments.
# ERROR NumbaTypeError 16:30
# TWIN 16:     out[0] = add(x[0], x[1])
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def add(a, b):
    return a + b


@cuda.jit
def kernel(x, out):
    out[0] = add(x[0], x[1], x[2])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
