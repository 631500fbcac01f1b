# A signature with fewer types than the kernel has parameters.
# ERROR TypeError 0:0
# TWIN 9: @cuda.jit("void(float32[:], float32[:])")
import numpy as np

from treadle import cuda


@cuda.jit("void(float32[:])")
def kernel(x, out):
    out[0] = x[0]


def run():
    kernel[1, 1](np.ones(4, np.float32), np.zeros(4, np.float32))
