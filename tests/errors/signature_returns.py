# A signature in which a kernel returns a number.
# ERROR TypeError 0:0
# TWIN 9: @cuda.jit("void(float32[:])")
import numpy as np

from treadle import cuda


@cuda.jit("float32(float32[:])")
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4, np.float32))


# MESSAGE
# cuda.jit: a kernel must have void return type, found float32 in its signature (array(float32, 1d, A)) -> float32
