# A signature with an unclosed bracket.
# ERROR ValueError 0:0
# TWIN 9: @cuda.jit("void(float32[:])")
import numpy as np

from treadle import cuda


@cuda.jit("void(float32[:)")
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4, np.float32))


# MESSAGE
# bad signature: expected ']' after the dimensions
#     void(float32[:)
#                   ^
