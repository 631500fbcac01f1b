# The value of a function that returns nothing.
# ERROR TypingError 16:14
# TWIN 11:     return value
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def store(out, value):
    out[1] = value


@cuda.jit
def kernel(x, out):
    out[0] = store(out, x[0]) + 1


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# missing_return_value.py:16:14: error: the operator + is not defined for these types
#   16 |     out[0] = store(out, x[0]) + 1
#      |              ^~~~~~~~~~~~~~~~~~~~
#   found:    none + int64
#   help:     a function that returns nothing has no value to use: check that it returns one on every path
