# More threads in a block than a block can have.
# ERROR ValueError 0:0
# TWIN 15:     kernel[1, (32, 32)](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    kernel[1, (32, 33)](np.zeros(4))


# MESSAGE
# launch configuration: a block of 32 x 33 x 1 has 1056 threads; the limit is 1024
