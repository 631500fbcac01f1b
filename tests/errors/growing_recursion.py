# A recursion that changes its argument's type on each level.
# ERROR TypingError 13:12
# TWIN 13:     return depth(t, n - 1) + 1
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
