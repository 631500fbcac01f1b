# Number rules that do not exist.
# ERROR ValueError 0:0
# TWIN 9: @cuda.jit(rules="numba")
import numpy as np

from treadle import cuda


@cuda.jit(rules="numpy")
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# rules must be 'numba' or 'cuda-python', found 'numpy'
