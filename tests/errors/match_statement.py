# A match statement.
# ERROR UnsupportedError 12:5
# TWIN 12:     for k in range(n, n + 1):
# TWIN 13:         if k == 1:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    match n:
        case 1:
            out[0] = 1


def run():
    kernel[1, 1](1, np.zeros(4))


# MESSAGE
# match_statement.py:12:5: error: a match statement cannot be used in a kernel
#   12 |     match n:
#      |     ^~~~~~~~
#   help:     write it as if / elif / else
