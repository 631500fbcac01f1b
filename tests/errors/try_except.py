# try and except.
# ERROR UnsupportedError 13:5
# TWIN 13:     if x[i] != 0:
# TWIN 15:     else:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    try:
        out[i] = 1 / x[i]
    except ZeroDivisionError:
        out[i] = 0


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))
