# A row in the middle, which the assignment changes, subtracted from all rows.
# ERROR UnsupportedError 11:5
# TWIN 11:     x -= x[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    x -= x[1]


def run():
    kernel[1, 4](np.ones((3, 3)), np.zeros(4))


# MESSAGE
# row_of_itself.py:11:5: error: the value reads elements of the array that this assignment changes before
#   11 |     x -= x[1]
#      |     ^~~~~~~~~
#   help:     assign the value to another array first, and then that one: t = np.empty(...); t[:] = ...; a[:] = t
