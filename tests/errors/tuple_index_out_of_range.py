# A constant index outside of its tuple.
# ERROR NumbaIndexError 12:19
# TWIN 12:     out[0] = pair[1]
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    pair = (1, 2)
    out[0] = pair[2]


def run():
    kernel[1, 1](np.zeros(4))
