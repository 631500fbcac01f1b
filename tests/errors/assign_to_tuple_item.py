# Tuples cannot be changed.
# ERROR TypingError 12:5
# TWIN 12:     pair = (3, 2)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    pair = (1, 2)
    pair[0] = 3
    out[0] = pair[0]


def run():
    kernel[1, 1](np.zeros(4))
