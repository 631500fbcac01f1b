# A set.
# ERROR UnsupportedError 11:14
# TWIN 11:     primes = (2, 3, 5)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    primes = {2, 3, 5}
    out[0] = len(primes)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# set_display.py:11:14: error: a set cannot be used in a kernel
#   11 |     primes = {2, 3, 5}
#      |              ^~~~~~~~~
#   help:     use a tuple, or an array: an argument, cuda.local.array(...) or cuda.shared.array(...)
