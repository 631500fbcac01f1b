# The second axis of a one-dimensional array.
# ERROR NumbaIndexError 11:14
# TWIN 11:     out[0] = x.shape[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x.shape[1]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# shape_index_out_of_range.py:11:14: error: the index lies outside of the tuple
#   11 |     out[0] = x.shape[1]
#      |              ^~~~~~~~~~
#   found:    1
#   expected: -1 to 0
