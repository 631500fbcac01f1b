# Three names for a pair.
# ERROR NumbaValueError 11:5
# TWIN 11:     rows, columns = x.shape
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    rows, columns, planes = x.shape
    out[0] = rows + columns


def run():
    kernel[1, 1](np.ones((4, 4)), np.zeros(4))
