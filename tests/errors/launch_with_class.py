# A class as an argument.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 4](np.ones(4), np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = 1


def run():
    kernel[1, 4](np.float32, np.zeros(4))


# MESSAGE
# kernel: argument 1 ('x') is of type type: kernels take numbers, arrays, tuples of them, and None, and no classes and dtypes: a kernel may name them
