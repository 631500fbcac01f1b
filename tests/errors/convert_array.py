# A type object called with an array.
# ERROR TypingError 11:22
# TWIN 11:     out[0] = float32(x[0])
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(x, out):
    out[0] = float32(x)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
