# cuda.grid of four dimensions.
# ERROR TypingError 11:25
# TWIN 11:     i, j, k = cuda.grid(3)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    i, j, k = cuda.grid(4)
    out[i] = j + k


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# grid_of_four.py:11:25: error: cuda.grid() needs the number of axes
#   11 |     i, j, k = cuda.grid(4)
#      |                         ^
#   found:    4
#   expected: 1, 2 or 3, known while compiling
