# isinstance() of a list, which kernels take for a tuple.
# ERROR UnsupportedError 11:23
# TWIN 11:     x[0] = isinstance((1, 2), tuple)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x):
    x[0] = isinstance([1, 2], tuple)


def run():
    kernel[1, 1](np.ones(4))


# MESSAGE
# class_of_a_list.py:11:23: error: isinstance() cannot be asked about a list in kernels
#   11 |     x[0] = isinstance([1, 2], tuple)
#      |                       ^~~~~~
#   help:     write a tuple, of which kernels know the class
