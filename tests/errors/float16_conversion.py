# A conversion to a float type that is not supported yet.
# ERROR TypingError 11:14
# TWIN 11:     out[0] = np.float32(out[1])
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = np.float16(out[1])


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# float16_conversion.py:11:14: error: float16 is not supported: use float32
#   11 |     out[0] = np.float16(out[1])
#      |              ^~~~~~~~~~
#   found:    object float16
