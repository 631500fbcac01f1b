# More blocks along y than a grid can have.
# ERROR ValueError 0:0
# TWIN 15:     kernel[(1, 65535), 1](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel[(1, 65536), 1](np.zeros(4))


# MESSAGE
# launch configuration: gridDim.y is 65536; the limit is 65535
