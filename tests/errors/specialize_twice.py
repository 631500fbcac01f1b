# A specialised kernel that is specialised again.
# ERROR RuntimeError 0:0
# TWIN 16:     fixed[1, 1](np.zeros(4))
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    out[0] = 1


def run():
    fixed = kernel.specialize(np.zeros(4))
    fixed.specialize(np.zeros(4))


# MESSAGE
# kernel is already specialized
