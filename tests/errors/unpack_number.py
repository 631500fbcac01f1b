# A number unpacked like a tuple.
# ERROR TypingError 11:12
# TWIN 11:     x, y = cuda.grid(2)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    x, y = cuda.grid(1)
    out[0] = x + y


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# unpack_number.py:11:12: error: only a tuple or an array can be unpacked
#   11 |     x, y = cuda.grid(1)
#      |            ^~~~~~~~~~~~
#   found:    int64
#   expected: a tuple of 2 values
#   help:     write cuda.grid(2): it gives as many values as it is asked for axes
