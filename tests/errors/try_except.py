# try and except.
# ERROR UnsupportedError 13:5
# TWIN 13:     if x[i] != 0:
# TWIN 15:     else:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    try:
        out[i] = 1 / x[i]
    except ZeroDivisionError:
        out[i] = 0


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# try_except.py:13:5: error: a try statement cannot be used in a kernel
#   13 |     try:
#      |     ^~~~
#   help:     kernels cannot catch exceptions: test for the condition with `if` and write an error code to an array
