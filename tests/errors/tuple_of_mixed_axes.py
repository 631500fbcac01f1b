# A slice assigned from numbers and tuples at once.
# ERROR TypingError 11:17
# TWIN 11:     x[:, 0:2] = (1, 1), (3, 4)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x):
    x[:, 0:2] = 1, (3, 4)


def run():
    kernel[1, 1](np.zeros((2, 2)))


# MESSAGE
# tuple_of_mixed_axes.py:11:17: error: the items of this tuple have different numbers of axes
#   11 |     x[:, 0:2] = 1, (3, 4)
#      |                 ^~~~~~~~~
#   help:     assign them to elements, rows or slices one by one
