# A class inside a kernel.
# ERROR UnsupportedError 11:5
# TWIN 11:     if True:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    class Point:
        x = 1

    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# class_statement.py:11:5: error: a class definition cannot be used in a kernel
#   11 |     class Point:
#      |     ^~~~~~~~~~~~
#   help:     define the class outside; kernels can read constants from its attributes
