# A shared array whose size is a NumPy integer.
# ERROR TypingError 13:30
# TWIN 8: SIZE = int(np.int64(16))
import numpy as np

from treadle import cuda, float32

SIZE = np.int64(16)


@cuda.jit
def kernel(out):
    tile = cuda.shared.array(SIZE, float32)
    tile[0] = 1
    out[0] = tile[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# shared_shape_numpy.py:13:30: error: the shape of cuda.shared.array() must consist of Python's ints
#   13 |     tile = cuda.shared.array(SIZE, float32)
#      |                              ^~~~
#   found:    a NumPy integer, 16
#   expected: an integer or a tuple of integers, known while compiling
#   help:     make it an int outside of the kernel: int(n)
