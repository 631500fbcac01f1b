# A number called like a function.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = n * 2
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = n(2)


def run():
    kernel[1, 1](4, np.zeros(4))


# MESSAGE
# call_of_number.py:11:14: error: this cannot be called
#   11 |     out[0] = n(2)
#      |              ^
#   found:    int64
#   expected: a function
#   help:     a local variable hides a function of the same name, if there is one
