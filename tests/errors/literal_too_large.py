# Literals whose sum has more than 64 bits.
# ERROR NumbaValueError 12:14
# TWIN 12:     out[0] = 2**64 - 1
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    # Exact, as in Python: it is no int64 that wraps.
    out[0] = 2**64 + 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# literal_too_large.py:12:14: error: this integer does not fit 64 bits
#   12 |     out[0] = 2**64 + 1
#      |              ^~~~~~~~~
#   expected: -9223372036854775808 to 18446744073709551615
