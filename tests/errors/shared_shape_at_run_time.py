# A shared array whose size is known only at run time.
# ERROR TypingError 11:30
# TWIN 11:     tile = cuda.shared.array(32, float32)
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(x, out):
    tile = cuda.shared.array(x.size, float32)
    tile[0] = x[0]
    out[0] = tile[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# shared_shape_at_run_time.py:11:30: error: the shape of cuda.shared.array() is not constant
#   11 |     tile = cuda.shared.array(x.size, float32)
#      |                              ^~~~~~
#   found:    a value known only at run time
#   expected: an integer or a tuple of integers, known while compiling
#   help:     use a literal, a global or captured number, or a local bound once to one
