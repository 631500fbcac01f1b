# A list and a tuple, which are never equal in Python.
# ERROR UnsupportedError 11:14
# TWIN 11:     out[0] = [1, 2] == [1, 2]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = [1, 2] == (1, 2)


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# list_compared_to_tuple.py:11:14: error: a list cannot be compared to a tuple: in kernels both are tuples
#   11 |     out[0] = [1, 2] == (1, 2)
#      |              ^~~~~~~~~~~~~~~~
#   help:     write both with parentheses, or both with brackets
