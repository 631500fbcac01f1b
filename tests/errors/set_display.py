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
