# A complex number stored where floats are.
# ERROR TypingError 11:5
# TWIN 11:     out[0] = z[0].real
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(z, out):
    out[0] = z[0]


def run():
    kernel[1, 1](np.ones(4, complex), np.zeros(4))
