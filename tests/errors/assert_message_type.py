# An assertion on an array.
# ERROR TypingError 11:12
# TWIN 11:     assert x[0] == 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    assert x
    out[0] = x[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# assert_message_type.py:11:12: error: an array has no truth value
#   11 |     assert x
#      |            ^
#   found:    array(float64, 1d, C)
#   expected: a number or a condition
#   help:     test its length or an element: len(a) > 0, a[i] != 0
