# A device function launched like a kernel.
# ERROR TypeError 0:0
# TWIN 9: @cuda.jit
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# kernel is a device function: kernels call it, it cannot be launched
