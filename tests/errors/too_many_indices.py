# More indices than axes.
# ERROR NumbaIndexError 12:14
# TWIN 12:     out[i] = x[i]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    out[i] = x[i, 0]


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))
