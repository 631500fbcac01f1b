# atomic.inc wraps around at an unsigned limit.
# ERROR TypingError 11:21
# TWIN 16:     kernel[1, 1](np.zeros(4, np.uint32))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    cuda.atomic.inc(out, 0, 3)


def run():
    # Counters count up.
    kernel[1, 1](np.zeros(4, np.int32))


# MESSAGE
# atomic_inc_of_signed.py:11:21: error: this cannot be an argument of cuda.atomic.inc()
#   11 |     cuda.atomic.inc(out, 0, 3)
#      |                     ^~~
#   found:    array(int32, 1d, C)
#   expected: an array of uint32 or uint64
