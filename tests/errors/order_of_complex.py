# Complex numbers have no order.
# ERROR TypingError 11:8
# TWIN 11:     if z[0] != z[1]:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(z, out):
    if z[0] < z[1]:
        out[0] = 1


def run():
    kernel[1, 1](np.ones(4, complex), np.zeros(4))


# MESSAGE
# order_of_complex.py:11:8: error: the operator < is not defined for these types
#   11 |     if z[0] < z[1]:
#      |        ^~~~~~~~~~~
#   found:    complex128 < complex128
