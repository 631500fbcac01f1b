# A recursion that changes its argument's type on each level.
# ERROR CompileLimitError 13:12
# TWIN 13:     return n + 1
import numpy as np

from treadle import cuda


@cuda.jit(device=True)
def depth(t, n):
    if n == 0:
        return 0
    return depth((t, t), n - 1) + 1


@cuda.jit
def kernel(out):
    out[0] = depth(1, 3)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# growing_recursion.py:13:12: error: this is nested too deeply to be compiled
#   13 |     return depth((t, t), n - 1) + 1
#      |            ^~~~~~~~~~~~~~~~~~~~
#   help:     compute parts of it in variables or functions of their own
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:13:12 in depth
#   ... 3547 more calls
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:13:12 in depth
#   called from growing_recursion.py:18:14 in kernel
