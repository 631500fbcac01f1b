# len of a number.
# ERROR TypingError 11:18
# TWIN 11:     out[0] = len(out)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = len(n)


def run():
    kernel[1, 1](4, np.zeros(4))


# MESSAGE
# len_of_number.py:11:18: error: this cannot be an argument of len()
#   11 |     out[0] = len(n)
#      |                  ^
#   found:    int64
#   expected: an array with at least one axis, or a tuple
