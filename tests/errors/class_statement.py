# A class inside of a kernel.
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
