# A function that calls itself, and gives an array that it makes.
# ERROR UnsupportedError 12:21
# TWIN 12:         counts[0] = n
import numpy as np
from treadle import cuda


@cuda.jit(device=True)
def counted(n):
    counts = np.zeros(3)
    if n > 0:
        counts[0] = counted(n - 1)[0] + 1
    return counts


@cuda.jit
def kernel(out):
    out[0] = counted(3)[0]


def run():
    kernel[1, 1](np.zeros(1))


# MESSAGE
# array_given_by_recursion.py:12:21: error: 'counted' calls itself, and returns an array that it makes
#   12 |         counts[0] = counted(n - 1)[0] + 1
#      |                     ^~~~~~~~~~~~~~
#   help:     make the array in the kernel and pass it, or write the recursion as a loop
#   called from array_given_by_recursion.py:18:14 in kernel
