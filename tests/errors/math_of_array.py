# A function of the math module applied to a whole array.
# ERROR TypingError 13:24
# TWIN 13:     out[0] = math.sqrt(x[0])
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = math.sqrt(x)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# math_of_array.py:13:24: error: this cannot be an argument of math.sqrt()
#   13 |     out[0] = math.sqrt(x)
#      |                        ^
#   found:    array(float64, 1d, C)
#   expected: a real number
#   help:     index the array
