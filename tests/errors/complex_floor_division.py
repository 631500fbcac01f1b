# Floor division of complex numbers.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = z[0] / 2
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(z, out):
    out[0] = z[0] // 2


def run():
    kernel[1, 1](np.ones(4, complex), np.zeros(4, complex))


# MESSAGE
# complex_floor_division.py:11:14: error: the operator // is not defined for these types
#   11 |     out[0] = z[0] // 2
#      |              ^~~~~~~~~
#   found:    complex128 // int64
