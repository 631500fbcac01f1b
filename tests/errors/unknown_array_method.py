# A method that arrays do not have in kernels.
# ERROR UnsupportedError 11:5
# TWIN 11:     x[0] = 0
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    x.sort()
    out[0] = x[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# unknown_array_method.py:11:5: error: the method 'sort' of array(float64, 1d, C) is not supported in kernels
#   11 |     x.sort()
#      |     ^~~~~~~~
#   help:     write a loop over the elements
