# More local memory than a thread may have.
# ERROR NumbaValueError 11:32
# TWIN 11:     history = cuda.local.array(65536, float64)
import numpy as np

from treadle import cuda, float64


@cuda.jit
def kernel(out):
    history = cuda.local.array(65537, float64)
    history[0] = 1
    out[0] = history[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# local_too_large.py:11:32: error: the local arrays of a kernel take more than a thread has
#   11 |     history = cuda.local.array(65537, float64)
#      |                                ^~~~~
#   found:    this one takes 524296 bytes, all together 524296
#   expected: at most 524288 bytes
#   help:     make it smaller, or keep this data in an array that is passed to the kernel
