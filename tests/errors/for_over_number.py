# A loop over a number.
# ERROR TypingError 11:14
# TWIN 11:     for k in range(n):
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    for k in n:
        out[k] = 1


def run():
    kernel[1, 1](3, np.zeros(4))


# MESSAGE
# for_over_number.py:11:14: error: this cannot be iterated over
#   11 |     for k in n:
#      |              ^
#   found:    int64
#   expected: range(...), an array or a tuple
#   help:     write range(...) around it
