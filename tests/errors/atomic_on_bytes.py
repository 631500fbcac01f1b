# An atomic addition to a type that has no such operation.
# ERROR TypingError 11:21
# TWIN 15:     kernel[1, 1](np.zeros(4, np.int32))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(counts):
    cuda.atomic.add(counts, 0, 1)


def run():
    kernel[1, 1](np.zeros(4, np.int8))


# MESSAGE
# atomic_on_bytes.py:11:21: error: this cannot be an argument of cuda.atomic.add()
#   11 |     cuda.atomic.add(counts, 0, 1)
#      |                     ^~~~~~
#   found:    array(int8, 1d, C)
#   expected: an array of int32, uint32, int64, uint64, float16, float32 or float64
