# An axis that the array does not have.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = np.sum(x, axis=0)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = np.sum(x, axis=1)


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# axis_out_of_bounds.py:11:14: error: axis 1 is out of bounds for an array with 1 axis
#   11 |     out[0] = np.sum(x, axis=1)
#      |              ^~~~~~~~~~~~~~~~~
#   found:    axis 1
#   expected: -1 to 0
#   help:     leave the axis out, or pass an array with more axes
