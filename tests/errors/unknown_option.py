# An option that jit does not have.
# ERROR ValueError 0:0
# TWIN 9: @cuda.jit(fastmath=True)
import numpy as np

from treadle import cuda


@cuda.jit(fast=True)
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))
