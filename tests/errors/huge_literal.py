# An integer of more than 64 bits.
# ERROR NumbaValueError 11:14
# TWIN 11:     out[0] = 11805916207174113034
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1180591620717411303424


def run():
    kernel[1, 1](np.zeros(4, np.uint64))


# MESSAGE
# huge_literal.py:11:14: error: this integer does not fit 64 bits
#   11 |     out[0] = 1180591620717411303424
#      |              ^~~~~~~~~~~~~~~~~~~~~~
#   expected: -9223372036854775808 to 18446744073709551615
