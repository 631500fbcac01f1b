# range with a step of 0.
# ERROR NumbaValueError 11:26
# TWIN 11:     for k in range(0, 4, 1):
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    for k in range(0, 4, 0):
        out[k] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# step_zero.py:11:26: error: the step of range() must not be zero
#   11 |     for k in range(0, 4, 0):
#      |                          ^
