# Infinite recursion: its type cannot be inferred.
# ERROR UnsupportedError 11:12
# TWIN 11:     return n - 1
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def forever(n):
    return forever(n - 1)


@cuda.jit
def kernel(out):
    out[0] = forever(3)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# endless_recursion.py:11:12: error: recursion: 'forever' calls itself
#   11 |     return forever(n - 1)
#      |            ^~~~~~~~~~~~~~
#   found:    forever -> forever
#   help:     write it as a loop
#   called from endless_recursion.py:16:14 in kernel
