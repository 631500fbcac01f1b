# The remainder of a division by the literal 0.
# ERROR NumbaValueError 11:18
# TWIN 11:     out[0] = n % 2
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = n % 0


def run():
    kernel[1, 1](3, np.zeros(4))


# MESSAGE
# remainder_by_literal_zero.py:11:18: error: integer division by zero
#   11 |     out[0] = n % 0
#      |                  ^
#   expected: a divisor other than 0
