# The rows of an array expression unpacked: they would have to be kept.
# ERROR UnsupportedError 11:12
# TWIN 11:     a, b = x[0] + 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x):
    a, b = x + 1
    x[0, 0] = a


def run():
    kernel[1, 1](np.zeros((2, 2)))


# MESSAGE
# unpack_rows_of_expression.py:11:12: error: the rows of an array expression cannot be unpacked: it has no memory of its own
#   11 |     a, b = x + 1
#      |            ^~~~~
#   help:     assign it to elements of an array: a[:] = ...
