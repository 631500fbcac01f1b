# An integer of more than 64 bits as an argument.
# ERROR OverflowError 0:0
# TWIN 15:     kernel[1, 1](2**64 - 1, np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = n


def run():
    kernel[1, 1](2**64, np.zeros(4))


# MESSAGE
# the integer 18446744073709551616 does not fit 64 bits
