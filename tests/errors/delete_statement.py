# del of an element.
# ERROR UnsupportedError 13:9
# TWIN 13:     value = 0
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    value = x[0]
    out[0] = value
    del x[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
