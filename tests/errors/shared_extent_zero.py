# One of two extents is 0: only the shape 0 alone means dynamic shared memory.
# ERROR NumbaValueError 11:30
# TWIN 11:     tile = cuda.shared.array((4, 1), float64)
import numpy as np

from treadle import cuda, float64


@cuda.jit
def kernel(out):
    tile = cuda.shared.array((4, 0), float64)
    tile[0, 0] = 1
    out[0] = tile[0, 0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# shared_extent_zero.py:11:30: error: cuda.shared.array() needs extents above 0
#   11 |     tile = cuda.shared.array((4, 0), float64)
#      |                              ^~~~~~
#   found:    0
#   expected: 1 or more, or the shape 0 alone: what the launch gives
