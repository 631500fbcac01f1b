# A vector type of CUDA's.
# ERROR TypingError 11:9
# TWIN 11:     v = (1, 2, 3, 4)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    v = cuda.float32x4(1, 2, 3, 4)


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# vector_type.py:11:9: error: module treadle.cuda has no attribute 'float32x4' that can be used in a kernel
#   11 |     v = cuda.float32x4(1, 2, 3, 4)
#      |         ^~~~~~~~~~~~~~
#   help:     use tuples, or a record with one field for each component
