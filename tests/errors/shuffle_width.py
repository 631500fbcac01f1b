# A shuffle width that is not a power of two.
# ERROR TypingError 11:49
# TWIN 11:     out[0] = cuda.shfl_sync(0xFFFFFFFF, 1.0, 0, 16)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = cuda.shfl_sync(0xFFFFFFFF, 1.0, 0, 12)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# shuffle_width.py:11:49: error: this cannot be an argument of cuda.shfl_sync()
#   11 |     out[0] = cuda.shfl_sync(0xFFFFFFFF, 1.0, 0, 12)
#      |                                                 ^~
#   found:    int64
#   expected: 1, 2, 4, 8, 16 or 32
