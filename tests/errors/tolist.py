# An array as a list.
# ERROR UnsupportedError 11:13
# TWIN 11:     items = x.copy()[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    items = x.tolist()


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# tolist.py:11:13: error: the method 'tolist' of array(float64, 1d, C) is not supported in kernels
#   11 |     items = x.tolist()
#      |             ^~~~~~~~~~
#   help:     kernels have no lists: loop over the elements
