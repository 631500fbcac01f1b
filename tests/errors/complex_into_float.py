# A complex number stored into an array of floats.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = z[0].real
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(z, out):
    out[0] = z[0]


def run():
    kernel[1, 1](np.ones(4, complex), np.zeros(4))


# MESSAGE
# complex_into_float.py:11:14: error: this value cannot be stored into an element of the array
#   11 |     out[0] = z[0]
#      |              ^~~~
#   found:    complex128
#   expected: float64
#   help:     take a part of it: .real, .imag or abs()
