# float() of a complex number.
# ERROR TypingError 11:20
# TWIN 11:     out[0] = abs(z[0])
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(z, out):
    out[0] = float(z[0])


def run():
    kernel[1, 1](np.ones(4, complex), np.zeros(4))


# MESSAGE
# float_of_complex.py:11:20: error: this cannot be an argument of float()
#   11 |     out[0] = float(z[0])
#      |                    ^~~~
#   found:    complex128
#   expected: a real number
#   help:     take a part of it: .real, .imag or abs()
