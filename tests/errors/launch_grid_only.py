# A configuration without a block.
# ERROR ValueError 0:0
# TWIN 15:     kernel[8, 1](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel[8](np.zeros(4))


# MESSAGE
# launch configuration: expected kernel[grid, block], kernel[grid, block, stream], kernel[grid, block, stream, shared_bytes] or kernel[grid, block, stream, shared_bytes, cluster], found 8
