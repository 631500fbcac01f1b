# An item of a list that an earlier statement would have appended.
# ERROR UnsupportedError 12:14
# TWIN 12:     out[0] = len(found)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    found = []
    out[0] = found[0]


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# item_of_list_that_grows.py:12:14: error: this list is empty, and cannot grow in a kernel
#   12 |     out[0] = found[0]
#      |              ^~~~~~~~
#   help:     kernels have no lists that change, and so no append(): assign to elements of an array, such as x = cuda.local.array(n, float64), and count them
