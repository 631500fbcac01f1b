# Returns that have no common type.
# ERROR TypingError 13:5
# TWIN 13:     return -x
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def choose(x):
    if x > 0:
        return x
    return x, x


@cuda.jit
def kernel(x, out):
    out[0] = choose(x[0])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# incompatible_returns.py:13:5: error: the returned value has types that do not go together
#   13 |     return x, x
#      |     ^~~~~~~~~~~
#   found:    UniTuple(float64 x 2) here, float64 in line 12
#   expected: one type, or numbers, which are widened
#   help:     return values of one type
#   called from incompatible_returns.py:18:14 in kernel
