# A dictionary.
# ERROR UnsupportedError 11:15
# TWIN 11:     weights = (1.0, 2.0)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    weights = {0: 1.0, 1: 2.0}
    out[0] = weights[1]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# dict_display.py:11:15: error: a dict cannot be used in a kernel
#   11 |     weights = {0: 1.0, 1: 2.0}
#      |               ^~~~~~~~~~~~~~~~
#   help:     use a tuple, or an array: an argument, cuda.local.array(...) or cuda.shared.array(...)
