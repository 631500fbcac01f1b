# range of a float.
# ERROR TypingError 11:20
# TWIN 11:     for k in range(n // 2):
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    for k in range(n / 2):
        out[k] = 1


def run():
    kernel[1, 1](4, np.zeros(4))


# MESSAGE
# range_of_float.py:11:20: error: the bounds of range() must be integers
#   11 |     for k in range(n / 2):
#      |                    ^~~~~
#   found:    float64
#   expected: an integer
#   help:     convert it: int(...)
