# An array of Python objects as an argument.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 1](np.ones(4, float), np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0]


def run():
    kernel[1, 1](np.ones(4, object), np.zeros(4))


# MESSAGE
# kernel: argument 1 ('x') is of type numpy.ndarray: arrays of dtype object are not supported
