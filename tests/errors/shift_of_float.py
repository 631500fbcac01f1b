# A float shifted.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = x[0] * 4
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0] << 2


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
