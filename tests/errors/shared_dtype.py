# A shared array whose dtype is not a number type.
# ERROR TypingError 11:34
# TWIN 11:     tile = cuda.shared.array(16, float32)
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(x, out):
    tile = cuda.shared.array(16, x)
    tile[0] = 1
    out[0] = tile[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# shared_dtype.py:11:34: error: the dtype of cuda.shared.array() must be a type
#   11 |     tile = cuda.shared.array(16, x)
#      |                                  ^
#   found:    array(float64, 1d, C)
#   expected: a number type, such as float32, or a structured dtype
