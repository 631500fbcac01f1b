# Fewer arguments than the kernel has parameters.
# ERROR TypeError 0:0
# TWIN 15:     kernel[1, 1](np.ones(4), 2, np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, n, out):
    out[0] = x[0] + n


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# kernel takes 3 arguments (x, n, out), 2 given
