# A generator expression.
# ERROR UnsupportedError 11:18
# TWIN 11:     for value in x:
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    for value in (v * 2 for v in x):
        out[0] += value


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# generator_expression.py:11:18: error: a generator expression cannot be used in a kernel
#   11 |     for value in (v * 2 for v in x):
#      |                  ^~~~~~~~~~~~~~~~~~
#   help:     write a `for` loop over range() that stores into an array; for a tuple: ... for k in consteval(...)
