# A variable that is a number on one path and an array on the other.
# ERROR TypingError 15:9
# TWIN 15:         value = x[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    if i > 2:
        value = x[i]
    else:
        value = x
    out[i] = value


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# incompatible_merge.py:15:9: error: 'value' has types that do not go together
#   15 |         value = x
#      |         ^~~~~
#   found:    array(float64, 1d, C) here, float64 in line 13
#   expected: one type, or numbers, which are widened
#   help:     use another name for one of the two
