# A recursion without an end: its type cannot be found.
# ERROR TypingError 11:12
# TWIN 11:     return 0 if n < 1 else forever(n - 1)
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
