# A slice with a float as a bound.
# ERROR TypingError 11:11
# TWIN 11:     out[1:3][0] = 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[1:2.5][0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# slice_of_float.py:11:11: error: the bounds and the step of a slice must be integers
#   11 |     out[1:2.5][0] = 1
#      |           ^~~
#   found:    float64
#   expected: an integer
#   help:     convert it: int(...)
