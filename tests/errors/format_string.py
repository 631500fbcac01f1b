# A formatted string.
# ERROR UnsupportedError 11:12
# TWIN 11:     text = "x"
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    text = f"{x[0]}"
    out[0] = len(text)


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# format_string.py:11:12: error: an f-string cannot be used in a kernel
#   11 |     text = f"{x[0]}"
#      |            ^~~~~~~~~
#   help:     print takes several values: print('x =', x)
