# A string as the grid.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 32](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel["1", 32](np.zeros(4))


# MESSAGE
# launch configuration: gridDim must be an integer, found '1' of type str
