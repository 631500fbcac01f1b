# try and finally.
# ERROR UnsupportedError 12:5
# TWIN 12:     if True:
# TWIN 14:     if True:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    try:
        out[0] = 1
    finally:
        out[1] = 2


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# try_finally.py:12:5: error: a try statement cannot be used in a kernel
#   12 |     try:
#      |     ^~~~
#   help:     kernels cannot catch exceptions: test for the condition with `if` and write an error code to an array
