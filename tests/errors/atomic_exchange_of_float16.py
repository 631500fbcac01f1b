# An atomic exchange of a type that has no such operation, though it has others.
# ERROR TypingError 11:22
# TWIN 11:     cuda.atomic.add(x, 0, 1)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x):
    cuda.atomic.exch(x, 0, 1)


def run():
    kernel[1, 1](np.zeros(4, np.float16))


# MESSAGE
# atomic_exchange_of_float16.py:11:22: error: this cannot be an argument of cuda.atomic.exch()
#   11 |     cuda.atomic.exch(x, 0, 1)
#      |                      ^
#   found:    array(float16, 1d, C)
#   expected: an array of int32, uint32, int64 or uint64
