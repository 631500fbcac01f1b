# A generator as a device function.
# ERROR UnsupportedError 11:5
# TWIN 11:     return n * n
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def squares(n):
    yield n * n


@cuda.jit
def kernel(out):
    out[0] = squares(3)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# yield_expression.py:11:5: error: yield cannot be used in a kernel
#   11 |     yield n * n
#      |     ^~~~~~~~~~~
#   help:     kernels cannot be generators: store the values into an array
