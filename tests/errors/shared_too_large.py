# More static shared memory than a block may have.
# ERROR ValueError 0:0
# TWIN 11:     tile = cuda.shared.array((10, 100), float64)
import numpy as np

from treadle import cuda, float64


@cuda.jit
def kernel(out):
    tile = cuda.shared.array((100, 100), float64)
    tile[0, 0] = 1
    out[0] = tile[0, 0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# the kernel's shared arrays take 80000 bytes; the limit is 49152 (larger ones must be dynamic: shape 0 and bytes given at the launch)
