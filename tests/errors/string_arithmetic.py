# An operation on a string and a number.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = x[0] + 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0] + "1"


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# string_arithmetic.py:11:14: error: the operator + is not defined for these types
#   11 |     out[0] = x[0] + "1"
#      |              ^~~~~~~~~~
#   found:    float64 + str
