# A kernel that returns a value.
# ERROR NumbaTypeError 12:5
# TWIN 12:     return
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0]
    return x[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
