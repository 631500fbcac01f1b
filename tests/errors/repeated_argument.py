# An argument given by position and by name.
# ERROR NumbaTypeError 16:14
# TWIN 16:     out[0] = scale(x[0], factor=3)
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def scale(x, factor=2):
    return x * factor


@cuda.jit
def kernel(x, out):
    out[0] = scale(x[0], 3, factor=3)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# repeated_argument.py:16:14: error: 'scale' takes 2 arguments (x, factor)
#   16 |     out[0] = scale(x[0], 3, factor=3)
#      |              ^~~~~~~~~~~~~~~~~~~~~~~~
#   found:    two values for 'factor'
