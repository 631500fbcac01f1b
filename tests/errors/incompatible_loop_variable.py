# A variable that turns from a number into a tuple in a loop.
# ERROR TypingError 13:18
# TWIN 14:         state = state + k
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    state = 1
    for k in range(3):
        out[k] = state
        state = (state, k)


def run():
    kernel[1, 1](np.zeros(4))
