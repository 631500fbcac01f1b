# A float as an index.
# ERROR TypingError 12:16
# TWIN 12:     out[i] = x[i // 2]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    out[i] = x[i / 2]


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))
