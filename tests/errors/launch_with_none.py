# None as the block.
# ERROR ValueError 0:0
# TWIN 15:     kernel[1, 1](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel[1, None](np.zeros(4))


# MESSAGE
# launch configuration: blockDim must be an integer, found None of type NoneType
