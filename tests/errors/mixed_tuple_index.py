# A tuple of mixed types, indexed at run time.
# ERROR TypingError 13:20
# TWIN 12:     mixed = (1.0, 2.5, 3.0)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    mixed = (1, 2.5, x)
    out[i] = mixed[i]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
