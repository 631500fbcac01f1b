# A function of cuda in place of its value.
# ERROR TypingError 12:5
# TWIN 12:     i += cuda.gridsize(1)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    i += cuda.gridsize


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# gridsize_without_call.py:12:5: error: the operator + is not defined for these types
#   12 |     i += cuda.gridsize
#      |     ^~~~~~~~~~~~~~~~~~
#   found:    int64 + function cuda.gridsize
#   help:     call it with the number of axes: cuda.gridsize(1)
