# Compare-and-swap compares bits, not numbers.
# ERROR TypingError 11:21
# TWIN 15:     kernel[1, 1](np.zeros(4, np.int64))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    cuda.atomic.cas(out, 0, 0, 3)


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# atomic_cas_of_float.py:11:21: error: this cannot be an argument of cuda.atomic.cas()
#   11 |     cuda.atomic.cas(out, 0, 0, 3)
#      |                     ^~~
#   found:    array(float64, 1d, C)
#   expected: an array of int32, uint32, int64 or uint64
