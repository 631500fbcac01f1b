# A function of the math module with one argument too many.
# ERROR NumbaTypeError 13:14
# TWIN 13:     out[0] = math.hypot(x[0], x[1])
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = math.sqrt(x[0], x[1])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# builtin_arity.py:13:14: error: math.sqrt() takes 1 argument
#   13 |     out[0] = math.sqrt(x[0], x[1])
#      |              ^~~~~~~~~~~~~~~~~~~~~
#   found:    2 arguments
