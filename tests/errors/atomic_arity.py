# An atomic operation with fewer indices than the array has axes.
# ERROR NumbaIndexError 11:29
# TWIN 11:     cuda.atomic.add(counts, (0, 0), 1)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(counts):
    cuda.atomic.add(counts, 0, 1)


def run():
    kernel[1, 1](np.zeros((2, 2)))
