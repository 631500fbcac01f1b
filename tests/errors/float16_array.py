# An array of a float type that is not supported yet.
# ERROR TypingError 11:33
# TWIN 11:     part = cuda.shared.array(4, np.float32)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    part = cuda.shared.array(4, np.float16)
    part[0] = 1
    out[0] = part[0]


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# float16_array.py:11:33: error: float16 is not supported: use float32
#   11 |     part = cuda.shared.array(4, np.float16)
#      |                                 ^~~~~~~~~~
#   found:    object float16
