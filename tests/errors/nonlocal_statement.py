# Assignment to a variable of the enclosing function.
# ERROR UnsupportedError 14:9
# TWIN 14:         count = 0
import numpy as np

from treadle import cuda


def make():
    count = 0

    @cuda.jit
    def kernel(out):
        nonlocal count
        count += 1
        out[0] = count

    return kernel


def run():
    make()[1, 1](np.zeros(4))


# MESSAGE
# nonlocal_statement.py:14:9: error: a nonlocal statement cannot be used in a kernel
#   14 |         nonlocal count
#      |         ^~~~~~~~~~~~~~
#   help:     captured variables cannot be assigned: return the value, or store it into an array
