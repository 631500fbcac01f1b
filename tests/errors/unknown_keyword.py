# A keyword argument that the device function does not have.
# ERROR NumbaTypeError 16:14
# TWIN 16:     out[0] = scale(x[0], factor=3)
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def scale(x, factor=2):
    return x * factor


@cuda.jit
def kernel(x, out):
    out[0] = scale(x[0], facter=3)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# unknown_keyword.py:16:14: error: 'scale' takes 2 arguments (x, factor)
#   16 |     out[0] = scale(x[0], facter=3)
#      |              ^~~~~~~~~~~~~~~~~~~~~
#   found:    a keyword 'facter', which it does not have
