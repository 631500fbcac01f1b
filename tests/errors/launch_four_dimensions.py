# A grid of four dimensions.
# ERROR ValueError 0:0
# TWIN 15:     kernel[(1, 1, 1), 32](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel[(1, 1, 1, 1), 32](np.zeros(4))


# MESSAGE
# launch configuration: gridDim must have 1 to 3 dimensions, found 4
