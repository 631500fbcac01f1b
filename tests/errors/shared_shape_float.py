# A shared array whose size is a float.
# ERROR TypingError 11:30
# TWIN 11:     tile = cuda.shared.array(16, float32)
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(out):
    tile = cuda.shared.array(16.0, float32)
    tile[0] = 1
    out[0] = tile[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# shared_shape_float.py:11:30: error: the shape of cuda.shared.array() must consist of integers
#   11 |     tile = cuda.shared.array(16.0, float32)
#      |                              ^~~~
#   found:    float64
#   expected: an integer or a tuple of integers, known while compiling
