# A list that is filled.
# ERROR UnsupportedError 12:5
# TWIN 12:     out[0] = x[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    found = []
    found.append(x[0])


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# list_append.py:12:5: error: lists have no method 'append' in kernels
#   12 |     found.append(x[0])
#      |     ^~~~~~~~~~~~~~~~~~
#   help:     kernels have no lists that change, and so no append(): assign to elements of an array, such as x = cuda.local.array(n, float64), and count them
