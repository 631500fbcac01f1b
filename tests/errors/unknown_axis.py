# A fourth axis of threadIdx.
# ERROR TypingError 11:9
# TWIN 11:     i = cuda.threadIdx.z
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    i = cuda.threadIdx.w
    out[i] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# unknown_axis.py:11:9: error: cuda.threadIdx has no attribute 'w'
#   11 |     i = cuda.threadIdx.w
#      |         ^~~~~~~~~~~~~~~~
#   expected: x, y or z
