# A mistake that shows inside of a device function, two calls deep.
# ERROR TypingError 11:12
# TWIN 21:     out[0] = outer(x, 1)
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def inner(a, k):
    return a[k] * 2


@cuda.jit(device=True)
def outer(a, k):
    return inner(a, k) + 1


@cuda.jit
def kernel(x, out):
    out[0] = outer(x[0], 1)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
