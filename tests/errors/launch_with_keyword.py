# Keyword arguments in a launch.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 1](np.ones(4), np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0]


def run():
    kernel[1, 1](np.ones(4), out=np.zeros(4))


# MESSAGE
# kernel: kernels take positional arguments only, 'out' was given by name
