# A function of cmath, which the library has, applied to a whole array.
# ERROR TypingError 13:14
# TWIN 13:     out[0] = cmath.sqrt(x[0]).imag
import cmath

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = cmath.sqrt(x).imag


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# complex_function_of_array.py:13:14: error: cmath.sqrt() cannot be called with these arguments
#   13 |     out[0] = cmath.sqrt(x).imag
#      |              ^~~~~~~~~~~~~
#   found:    array(float64, 1d, C)
#   expected: a real number
#   help:     index the array
