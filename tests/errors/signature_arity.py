# A signature with fewer types than the kernel has parameters.
# ERROR NumbaTypeError 10:1
# TWIN 9: @cuda.jit("void(float32[:], float32[:])")
import numpy as np

from treadle import cuda


@cuda.jit("void(float32[:])")
def kernel(x, out):
    out[0] = x[0]


def run():
    kernel[1, 1](np.ones(4, np.float32), np.zeros(4, np.float32))


# MESSAGE
# signature_arity.py:10:1: error: 'kernel' takes 2 arguments (x, out), 1 given
#   10 | def kernel(x, out):
#      | ^~~~~~~~~~~~~~~~~~
#   found:    (array(float32, 1d, A)) -> none
