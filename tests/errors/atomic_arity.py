# An atomic operation with fewer indices than the array has axes.
# ERROR TypingError 11:29
# TWIN 11:     cuda.atomic.add(counts, (0, 0), 1)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(counts):
    cuda.atomic.add(counts, 0, 1)


def run():
    kernel[1, 1](np.zeros((2, 2)))


# MESSAGE
# atomic_arity.py:11:29: error: cuda.atomic.add() needs one index for each axis
#   11 |     cuda.atomic.add(counts, 0, 1)
#      |                             ^
#   found:    1
#   expected: 2, for array(float64, 2d, C)
#   help:     write a tuple: (i, j)
