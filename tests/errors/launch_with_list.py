# A list as an argument.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 1]((1.0, 2.0), np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0]


def run():
    kernel[1, 1]([1.0, 2.0], np.zeros(4))


# MESSAGE
# kernel: argument 1 ('x') is of type list: lists are not passed to kernels: pass an array (numpy.array(...)) or a tuple
