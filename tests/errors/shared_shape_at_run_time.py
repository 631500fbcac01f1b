# A shared array whose size is known only at run time.
# ERROR ConstantInferenceError 11:30
# TWIN 11:     tile = cuda.shared.array(32, float32)
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(x, out):
    tile = cuda.shared.array(x.size, float32)
    tile[0] = x[0]
    out[0] = tile[0]


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))
