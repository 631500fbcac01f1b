# The second axis of a one-dimensional array.
# ERROR NumbaIndexError 11:22
# TWIN 11:     out[0] = x.shape[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x.shape[1]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
