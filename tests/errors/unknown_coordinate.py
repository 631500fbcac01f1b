# A fourth axis of a thread index.
# ERROR TypingError 11:9
# TWIN 11:     out[cuda.threadIdx.z] = 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[cuda.threadIdx.w] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# unknown_coordinate.py:11:9: error: cuda.threadIdx has no attribute 'w'
#   11 |     out[cuda.threadIdx.w] = 1
#      |         ^~~~~~~~~~~~~~~~
#   expected: x, y or z
