# sum() of a number: the mistake is found two functions deep in the library.
# ERROR TypingError 13:14
# TWIN 13:     out[0] = sum(x) + math.pi
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = sum(x[0]) + math.pi


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# total_of_number.py:13:14: error: a total is of a tuple, a range, or an array with one axis
#   13 |     out[0] = sum(x[0]) + math.pi
#      |              ^~~~~~~~~
#   found:    float64, int64
