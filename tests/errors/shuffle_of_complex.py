# A complex number shuffled to another lane.
# ERROR TypingError 11:41
# TWIN 11:     out[0] = cuda.shfl_sync(0xFFFFFFFF, 1.0, 0)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = cuda.shfl_sync(0xFFFFFFFF, 1j, 0).real


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# shuffle_of_complex.py:11:41: error: this cannot be an argument of cuda.shfl_sync()
#   11 |     out[0] = cuda.shfl_sync(0xFFFFFFFF, 1j, 0).real
#      |                                         ^~
#   found:    complex128
#   expected: a real number
#   help:     take a part of it: .real, .imag or abs()
