# More indices than axes.
# ERROR TypingError 12:14
# TWIN 12:     out[i] = x[i]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    out[i] = x[i, 0]


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# too_many_indices.py:12:14: error: too many indices
#   12 |     out[i] = x[i, 0]
#      |              ^~~~~~~
#   found:    2 indices
#   expected: at most 1, for array(float64, 1d, C)
