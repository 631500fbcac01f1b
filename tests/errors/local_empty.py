# A local array without elements.
# ERROR NumbaValueError 11:32
# TWIN 11:     history = cuda.local.array(1, float64)
import numpy as np

from treadle import cuda, float64


@cuda.jit
def kernel(out):
    history = cuda.local.array(0, float64)
    history[0] = 1
    out[0] = history[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# local_empty.py:11:32: error: cuda.local.array() needs extents above 0
#   11 |     history = cuda.local.array(0, float64)
#      |                                ^
#   found:    0
#   expected: 1 or more
