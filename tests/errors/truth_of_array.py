# The truth value of an array.
# ERROR TypingError 11:8
# TWIN 11:     if x[0]:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    if x:
        out[0] = 1


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# truth_of_array.py:11:8: error: an array has no truth value
#   11 |     if x:
#      |        ^
#   found:    array(float64, 1d, C)
#   expected: a number or a condition
#   help:     test its length or an element: len(a) > 0, a[i] != 0
