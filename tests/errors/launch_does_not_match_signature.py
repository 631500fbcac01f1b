# Arguments that match none of the given signatures.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 1](np.ones(4, np.float32), np.zeros(4, np.float32))
import numpy as np

from treadle import cuda


@cuda.jit("void(float32[:], float32[:])")
def kernel(x, out):
    out[0] = x[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# No matching definition of kernel for argument types (array(float64, 1d, C), array(float64, 1d, C)); it was compiled for
#   (array(float32, 1d, A), array(float32, 1d, A)) -> none
