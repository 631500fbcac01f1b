# A variable that is a number on one path and an array on the other.
# ERROR TypingError 16:14
# TWIN 15:         value = x[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    if i > 2:
        value = x[i]
    else:
        value = x
    out[i] = value


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))
