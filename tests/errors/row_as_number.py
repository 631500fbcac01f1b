# A row where an element is expected.
# ERROR TypingError 12:14
# TWIN 12:     out[i] = x[i, 0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    out[i] = x[i]


def run():
    kernel[1, 4](np.ones((4, 4)), np.zeros(4))


# MESSAGE
# row_as_number.py:12:14: error: this value cannot be stored into an element of the array
#   12 |     out[i] = x[i]
#      |              ^~~~
#   found:    array(float64, 1d, C)
#   expected: float64
#   help:     index the array
