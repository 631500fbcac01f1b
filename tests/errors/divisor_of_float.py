# A function of integers applied to floats.
# ERROR TypingError 13:14
# TWIN 13:     out[0] = math.gcd(int(x[0]), 2)
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = math.gcd(x[0], 2)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# divisor_of_float.py:13:14: error: the arguments of gcd() must be integers
#   13 |     out[0] = math.gcd(x[0], 2)
#      |              ^~~~~~~~~~~~~~~~~
#   found:    float64, int64
