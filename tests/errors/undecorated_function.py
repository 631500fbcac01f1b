# A plain Python function, without a decorator.
# ERROR TypingError 15:14
# TWIN 9: @cuda.jit(device=True)\ndef half(x):
import numpy as np

from treadle import cuda


def half(x):
    return x / 2


@cuda.jit
def kernel(x, out):
    out[0] = half(x[0])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# undecorated_function.py:15:14: error: 'half' is a plain Python function; kernels can only call device functions
#   15 |     out[0] = half(x[0])
#      |              ^~~~
#   help:     decorate it with @cuda.jit(device=True)
