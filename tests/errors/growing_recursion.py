# A recursion that changes the type of its argument at each level.
# ERROR CompileLimitError 13:12
# TWIN 13:     return n + 1
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def depth(t, n):
    if n == 0:
        return 0
    return depth((t,), n - 1) + 1


@cuda.jit
def kernel(out):
    out[0] = depth(1, 3)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# growing_recursion.py:13:12: error: recursion: 'depth' calls itself with ever new argument types
#   13 |     return depth((t,), n - 1) + 1
#      |            ^~~~~~~~~~~~~~~~~~
#   found:    more than 64 calls within each other
#   help:     write it as a loop
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:13:12 in depth
#   ... 58 more calls
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:18:14 in kernel
