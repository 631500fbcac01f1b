# A shift of a float.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = x[0] * 4
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0] << 2


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# shift_of_float.py:11:14: error: the operator << is not defined for these types
#   11 |     out[0] = x[0] << 2
#      |              ^~~~~~~~~
#   found:    float64 << int64
#   help:     convert to an integer: int(...)
