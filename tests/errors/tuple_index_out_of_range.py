# A constant index outside its tuple.
# ERROR NumbaIndexError 12:14
# TWIN 12:     out[0] = pair[1]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    pair = (1, 2)
    out[0] = pair[2]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# tuple_index_out_of_range.py:12:14: error: the index lies outside of the tuple
#   12 |     out[0] = pair[2]
#      |              ^~~~~~~
#   found:    2
#   expected: -2 to 1
