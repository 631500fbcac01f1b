# A shared array of negative size.
# ERROR NumbaValueError 11:34
# TWIN 11:     tile = cuda.shared.array((4, 4), float32)
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(out):
    tile = cuda.shared.array((4, -4), float32)
    tile[0, 0] = 1
    out[0] = tile[0, 0]


def run():
    kernel[1, 1](np.zeros(4))
