# A number called like a function.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = n * 2
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = n(2)


def run():
    kernel[1, 1](4, np.zeros(4))
