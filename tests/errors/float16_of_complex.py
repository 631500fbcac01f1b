# A complex number as float16.
# ERROR TypingError 11:25
# TWIN 11:     out[0] = np.float16(abs(out[1]))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = np.float16(out[1])


def run():
    kernel[1, 1](np.zeros(4, np.complex64))


# MESSAGE
# float16_of_complex.py:11:25: error: this cannot be converted to float16
#   11 |     out[0] = np.float16(out[1])
#      |                         ^~~~~~
#   found:    complex64
#   expected: a real number
#   help:     take a part of it: .real, .imag or abs()
