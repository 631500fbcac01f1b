# The complement of a float.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = -x[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = ~x[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# invert_float.py:11:14: error: the operator ~ is not defined for this type
#   11 |     out[0] = ~x[0]
#      |              ^~~~~
#   found:    float64
#   expected: an integer
