# A store to an array that may not be written.
# ERROR TypingError 11:5
# TWIN 11:     out[0] = x[0]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    x[0] = 1
    out[1] = 2


def run():
    x = np.zeros(4)
    x.flags.writeable = False
    kernel[1, 1](x, np.zeros(4))
