# A fourth axis of threadIdx.
# ERROR NumbaAttributeError 11:9
# TWIN 11:     i = cuda.threadIdx.z
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(out):
    i = cuda.threadIdx.w
    out[i] = 1


def run():
    kernel[1, 1](np.zeros(4))
