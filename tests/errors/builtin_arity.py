# A function of math with one argument too many.
# ERROR NumbaTypeError 13:30
# TWIN 13:     out[0] = math.hypot(x[0], x[1])
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = math.sqrt(x[0], x[1])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
