# More static shared memory than a block may have.
# ERROR NumbaValueError 11:30
# TWIN 11:     tile = cuda.shared.array((10, 100), float64)
import numpy as np

from treadle import cuda, float64


@cuda.jit
def kernel(out):
    tile = cuda.shared.array((100, 100), float64)
    tile[0, 0] = 1
    out[0] = tile[0, 0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# shared_too_large.py:11:30: error: the shared arrays of a kernel take more than a block has
#   11 |     tile = cuda.shared.array((100, 100), float64)
#      |                              ^~~~~~~~~~
#   found:    this one takes 80000 bytes, all together 80000
#   expected: at most 49152 bytes
#   help:     make it smaller, or keep this data in an array that is passed to the kernel
