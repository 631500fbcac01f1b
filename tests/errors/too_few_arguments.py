# A device function called with too few arguments.
# ERROR NumbaTypeError 16:14
# TWIN 16:     out[0] = add(x[0], x[1], x[2])
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def add(a, b, c):
    return a + b + c


@cuda.jit
def kernel(x, out):
    out[0] = add(x[0], x[1])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# too_few_arguments.py:16:14: error: 'add' takes 3 arguments (a, b, c)
#   16 |     out[0] = add(x[0], x[1])
#      |              ^~~~~~~~~~~~~~~
#   found:    no value for 'c'
