# A function that math does not have.
# ERROR NumbaAttributeError 13:14
# TWIN 13:     out[0] = math.sqrt(x[0])
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = math.sqroot(x[0])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
