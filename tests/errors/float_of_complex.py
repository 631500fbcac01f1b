# float() of a complex number.
# ERROR TypingError 11:20
# TWIN 11:     out[0] = abs(z[0])
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(z, out):
    out[0] = float(z[0])


def run():
    kernel[1, 1](np.ones(4, complex), np.zeros(4))
