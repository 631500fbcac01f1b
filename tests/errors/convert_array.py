# A type object called with an array.
# ERROR TypingError 11:22
# TWIN 11:     out[0] = float32(x[0])
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(x, out):
    out[0] = float32(x)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# convert_array.py:11:22: error: this cannot be converted to float32
#   11 |     out[0] = float32(x)
#      |                      ^
#   found:    array(float64, 1d, C)
#   expected: a real number
#   help:     index the array
