# A method of integers called on a float.
# ERROR TypingError 13:14
# TWIN 13:     out[0] = int(x[0]).bit_count() + math.pi
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0].bit_count() + math.pi


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# bit_count_of_float.py:13:14: error: only integers have bit_count()
#   13 |     out[0] = x[0].bit_count() + math.pi
#      |              ^~~~~~~~~~~~~~~~
#   found:    float64
