# A keyword argument of a function of the math module.
# ERROR NumbaTypeError 13:14
# TWIN 13:     out[0] = math.pow(x[0], 2)
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = math.pow(x[0], y=2)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# keyword_of_builtin.py:13:14: error: math.pow() takes 2 arguments
#   13 |     out[0] = math.pow(x[0], y=2)
#      |              ^~~~~~~~~~~~~~~~~~~
#   found:    a keyword 'y', which it does not have
