# A device function called with too many arguments.
# ERROR NumbaTypeError 16:14
# TWIN 16:     out[0] = add(x[0], x[1])
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def add(a, b):
    return a + b


@cuda.jit
def kernel(x, out):
    out[0] = add(x[0], x[1], x[2])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# too_many_arguments.py:16:14: error: 'add' takes 2 arguments (a, b)
#   16 |     out[0] = add(x[0], x[1], x[2])
#      |              ^~~~~~~~~~~~~~~~~~~~~
#   found:    3 arguments
