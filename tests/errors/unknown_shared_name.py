# A misspelt member of cuda.shared.
# ERROR TypingError 11:12
# TWIN 11:     tile = cuda.shared.array(32, float64)
import numpy as np

from treadle import cuda, float64


@cuda.jit
def kernel(out):
    tile = cuda.shared.arry(32, float64)
    tile[0] = 1
    out[0] = tile[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# unknown_shared_name.py:11:12: error: module treadle.cuda.shared has no attribute 'arry' that can be used in a kernel
#   11 |     tile = cuda.shared.arry(32, float64)
#      |            ^~~~~~~~~~~~~~~~
#   help:     did you mean 'array'?
