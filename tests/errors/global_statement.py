# Assignment to a global.
# ERROR UnsupportedError 14:5
# TWIN 14:     COUNT = 0
import numpy as np

from treadle import cuda


COUNT = 0


@cuda.jit
def kernel(out):
    global COUNT
    COUNT += 1
    out[0] = COUNT


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# global_statement.py:14:5: error: a global statement cannot be used in a kernel
#   14 |     global COUNT
#      |     ^~~~~~~~~~~~
#   help:     kernels cannot assign globals: pass an array as an argument and store into it
