# A coordinate by an index, as of a tuple.
# ERROR TypingError 11:9
# TWIN 11:     out[cuda.threadIdx.x] = 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[cuda.threadIdx[0]] = 1


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# coordinate_by_index.py:11:9: error: this cannot be indexed
#   11 |     out[cuda.threadIdx[0]] = 1
#      |         ^~~~~~~~~~~~~~~~~
#   found:    function cuda.threadIdx
#   expected: an array or a tuple
#   help:     write one of its coordinates: cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
