# Tuples cannot be changed.
# ERROR TypingError 12:5
# TWIN 12:     pair = (3, 2)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    pair = (1, 2)
    pair[0] = 3
    out[0] = pair[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# assign_to_tuple_item.py:12:5: error: elements of this cannot be assigned
#   12 |     pair[0] = 3
#      |     ^~~~~~~
#   found:    UniTuple(int64 x 2)
#   expected: an array
#   help:     tuples never change: make a new one, or use cuda.local.array
