# An atomic addition to a type that has none.
# ERROR TypingError 11:21
# TWIN 15:     kernel[1, 1](np.zeros(4, np.int32))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(counts):
    cuda.atomic.add(counts, 0, 1)


def run():
    kernel[1, 1](np.zeros(4, np.int8))
