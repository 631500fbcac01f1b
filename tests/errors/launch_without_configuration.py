# A kernel called without a grid and a block.
# ERROR ValueError 0:0
# TWIN 15:     kernel[1, 1](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel(np.zeros(4))


# MESSAGE
# launch configuration was not specified: write kernel[blocks, threads_per_block](...)
