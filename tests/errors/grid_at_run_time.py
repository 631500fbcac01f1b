# cuda.grid of a number known only at run time.
# ERROR TypingError 11:19
# TWIN 11:     i = cuda.grid(1)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(n, out):
    i = cuda.grid(n)
    out[i] = n


def run():
    kernel[1, 1](1, np.zeros(4))


# MESSAGE
# grid_at_run_time.py:11:19: error: cuda.grid() needs the number of axes
#   11 |     i = cuda.grid(n)
#      |                   ^
#   found:    int64
#   expected: 1, 2 or 3, known while compiling
