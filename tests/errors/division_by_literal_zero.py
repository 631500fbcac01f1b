# An integer divided by the literal 0.
# ERROR NumbaValueError 11:19
# TWIN 11:     out[0] = n // 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = n // 0


def run():
    kernel[1, 1](3, np.zeros(4))


# MESSAGE
# division_by_literal_zero.py:11:19: error: integer division by zero
#   11 |     out[0] = n // 0
#      |                   ^
#   expected: a divisor other than 0
