# The sum of one element.
# ERROR UnsupportedError 11:14
# TWIN 11:     out[0] = x.sum()
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0].sum()


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# sum_of_number.py:11:14: error: the method 'sum' of float64 is not supported in kernels
#   11 |     out[0] = x[0].sum()
#      |              ^~~~~~~~~~
#   help:     this is one number: call the method of the array, or of a row of it
