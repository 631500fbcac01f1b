# Assignment to a global.
# ERROR UnsupportedError 14:5
# TWIN 14:     COUNT = 0
import numpy as np

from treadle import cuda


COUNT = 0


@cuda.jit
def kernel(out):
    global COUNT
    COUNT += 1
    out[0] = COUNT


def run():
    kernel[1, 1](np.zeros(4))
