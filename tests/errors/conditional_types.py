# A conditional expression of a number and an array.
# ERROR TypingError 12:13
# TWIN 12:     value = x[0] if i > 2 else 0
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    value = x if i > 2 else 0
    out[i] = value


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# conditional_types.py:12:13: error: the two values that may result have types that do not go together
#   12 |     value = x if i > 2 else 0
#      |             ^~~~~~~~~~~~~~~~~
#   found:    array(float64, 1d, C) and int64
#   expected: one type, or numbers, which are widened
