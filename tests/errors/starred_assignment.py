# A starred target.
# ERROR UnsupportedError 11:12
# TWIN 11:     first, second, third = (1, 2, 3)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    first, *rest = (1, 2, 3)
    out[0] = first


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# starred_assignment.py:11:12: error: a starred target cannot be used in a kernel
#   11 |     first, *rest = (1, 2, 3)
#      |            ^~~~~
#   help:     name every item: a, b, c = value
