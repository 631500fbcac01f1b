# A tuple compared with a number.
# ERROR TypingError 12:8
# TWIN 12:     if pair[0] < 3:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    pair = (1, 2)
    if pair < 3:
        out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# order_of_tuple.py:12:8: error: the operator < is not defined for these types
#   12 |     if pair < 3:
#      |        ^~~~~~~~
#   found:    UniTuple(int64 x 2) < int64
