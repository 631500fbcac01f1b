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


# MESSAGE
# kernel_returns_value.py:12:5: error: a kernel cannot return a value
#   12 |     return x[0]
#      |     ^~~~~~~~~~~
#   found:    float64
#   expected: return without a value
#   help:     store the value into an array argument
