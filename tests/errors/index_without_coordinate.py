# The index of a thread without a coordinate.
# ERROR TypingError 11:9
# TWIN 11:     out[cuda.threadIdx.x] = 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[cuda.threadIdx] = 1


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# index_without_coordinate.py:11:9: error: an index must be an integer
#   11 |     out[cuda.threadIdx] = 1
#      |         ^~~~~~~~~~~~~~
#   found:    function cuda.threadIdx
#   expected: an integer
#   help:     write one of its coordinates: cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
