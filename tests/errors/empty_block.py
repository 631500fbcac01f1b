# A block without threads.
# ERROR ValueError 0:0
# TWIN 15:     kernel[1, 1](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 0](np.zeros(4))


# MESSAGE
# launch configuration: blockDim.x is 0; every dimension must be at least 1 (skip the launch when there is nothing to do)
