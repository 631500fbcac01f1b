# A local array whose size is computed from a NumPy integer.
# ERROR TypingError 14:28
# TWIN 13:     size = int(ROWS) * 2
import numpy as np

from treadle import cuda, float32

ROWS = np.int32(3)


@cuda.jit
def kernel(out):
    size = ROWS * 2
    own = cuda.local.array((size, 4), float32)
    own[0, 0] = 1
    out[0] = own[0, 0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# local_shape_numpy.py:14:28: error: the shape of cuda.local.array() must consist of Python's ints
#   14 |     own = cuda.local.array((size, 4), float32)
#      |                            ^~~~~~~~~
#   found:    a NumPy integer, 6
#   expected: an integer or a tuple of integers, known while compiling
#   help:     make it an int outside of the kernel: int(n)
