# Arguments that match two signatures equally well.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 1](1, np.zeros(4, np.int64))
import numpy as np

from treadle import cuda


@cuda.jit(["void(float64, int64[:])", "void(int64, int64[:])"])
def kernel(x, out):
    out[0] = x


def run():
    kernel[1, 1](True, np.zeros(4, np.int64))


# MESSAGE
# Ambiguous overloading of kernel for argument types (bool, array(int64, 1d, C)): these fit equally well
#   (float64, array(int64, 1d, A)) -> none
#   (int64, array(int64, 1d, A)) -> none
