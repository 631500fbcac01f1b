# A function that calls itself, and makes an array whose shape is known only at run time.
# ERROR UnsupportedError 11:26
# TWIN 11:     return ones.sum() + n
import numpy as np
from treadle import cuda


@cuda.jit(device=True)
def total(n):
    ones = np.ones(n)
    return ones.sum() + (total(n - 1) if n > 0 else 0.0)


@cuda.jit
def kernel(n, out):
    out[0] = total(n)


def run():
    kernel[1, 1](3, np.zeros(1))


# MESSAGE
# array_of_recursion.py:11:26: error: 'total' calls itself, and makes an array whose shape is known only at run time
#   11 |     return ones.sum() + (total(n - 1) if n > 0 else 0.0)
#      |                          ^~~~~~~~~~~~
#   help:     make the array in the kernel and pass it, or write the recursion as a loop
#   called from array_of_recursion.py:16:14 in kernel
