# Functions that call each other.
# ERROR UnsupportedError 16:33
# TWIN 16:     return n % 2 == 1
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@cuda.jit(device=True)
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@cuda.jit
def kernel(out):
    out[0] = is_even(4)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# mutual_recursion.py:16:33: error: recursion: 'is_even' calls itself by way of other functions
#   16 |     return False if n == 0 else is_even(n - 1)
#      |                                 ^~~~~~~~~~~~~~
#   found:    is_even -> is_odd -> is_even
#   help:     write it as a loop
#   called from mutual_recursion.py:11:32 in is_even
#   called from mutual_recursion.py:21:14 in kernel
