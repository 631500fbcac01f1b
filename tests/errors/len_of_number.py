# len of a number.
# ERROR TypingError 11:18
# TWIN 11:     out[0] = len(out)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    out[0] = len(n)


def run():
    kernel[1, 1](4, np.zeros(4))
