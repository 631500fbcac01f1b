# More threads along z than a block can have.
# ERROR ValueError 0:0
# TWIN 15:     kernel[1, (1, 1, 64)](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel[1, (1, 1, 65)](np.zeros(4))


# MESSAGE
# launch configuration: blockDim.z is 65; the limit is 64
