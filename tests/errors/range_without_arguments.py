# range without arguments.
# ERROR NumbaTypeError 11:14
# TWIN 11:     for k in range(4):
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    for k in range():
        out[k] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# range_without_arguments.py:11:14: error: range() takes 1 to 3 arguments
#   11 |     for k in range():
#      |              ^~~~~~~
#   found:    0 arguments
