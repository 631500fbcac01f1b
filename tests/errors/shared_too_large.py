# More static shared memory than a block may have.
# ERROR NumbaValueError 11:12
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
