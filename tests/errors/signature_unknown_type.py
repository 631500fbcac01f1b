# A signature with a type that does not exist.
# ERROR ValueError 0:0
# TWIN 9: @cuda.jit("void(float32[:])")
import numpy as np

from treadle import cuda


@cuda.jit("void(float33[:])")
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4, np.float32))


# MESSAGE
# bad signature: there is no type 'float33'
#     void(float33[:])
#          ^
