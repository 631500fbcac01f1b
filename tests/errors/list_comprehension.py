# A list comprehension.
# ERROR UnsupportedError 11:14
# TWIN 11:     values = (0, 1, 4)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    values = [k * k for k in range(3)]
    out[0] = values[2]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# list_comprehension.py:11:14: error: a list comprehension cannot be used in a kernel
#   11 |     values = [k * k for k in range(3)]
#      |              ^~~~~~~~~~~~~~~~~~~~~~~~~
#   help:     write a `for` loop over range() that stores into an array; for a tuple: ... for k in consteval(...)
