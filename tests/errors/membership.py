# The operator in.
# ERROR UnsupportedError 11:8
# TWIN 11:     if n == 1 or n == 2 or n == 3:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    if n in (1, 2, 3):
        out[0] = 1


def run():
    kernel[1, 1](2, np.zeros(4))
