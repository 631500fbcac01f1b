# A function of float16 that is given a complex number.
# ERROR TypingError 12:14
# TWIN 12:     out[0] = fp16.hadd(out[1].real, 2)
import numpy as np

from treadle import cuda
from treadle.cuda import fp16


@cuda.jit
def kernel(out):
    out[0] = fp16.hadd(out[1], 2)


def run():
    kernel[1, 1](np.zeros(4, np.complex64))


# MESSAGE
# half_function_of_complex.py:12:14: error: cuda.fp16.hadd() cannot be called with these arguments
#   12 |     out[0] = fp16.hadd(out[1], 2)
#      |              ^~~~~~~~~~~~~~~~~~~~
#   found:    complex64, int64
#   expected: this cannot be converted to float16: a real number
#   help:     take a part of it: .real, .imag or abs()
