# A function that the math module does not have.
# ERROR TypingError 13:14
# TWIN 13:     out[0] = math.sqrt(x[0])
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = math.sqroot(x[0])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# unknown_math_function.py:13:14: error: module math has no attribute 'sqroot' that can be used in a kernel
#   13 |     out[0] = math.sqroot(x[0])
#      |              ^~~~~~~~~~~
#   help:     did you mean 'sqrt'?
