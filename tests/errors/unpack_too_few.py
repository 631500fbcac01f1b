# Three names for a pair.
# ERROR NumbaValueError 11:5
# TWIN 11:     rows, columns = x.shape
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    rows, columns, planes = x.shape
    out[0] = rows + columns


def run():
    kernel[1, 1](np.ones((4, 4)), np.zeros(4))


# MESSAGE
# unpack_too_few.py:11:5: error: the tuple does not have as many values as there are targets
#   11 |     rows, columns, planes = x.shape
#      |     ^~~~~~~~~~~~~~~~~~~~~
#   found:    2 values: the 2 extents of array(float64, 2d, C)
#   expected: 3 values
#   help:     pass an array with 3 axes, or name as many extents as this one has
