# A barrier that only some threads of the block reach.
# ERROR UnsupportedError 12:5
# TWIN 13:     if cuda.blockIdx.x < 16:
import numpy as np

from treadle import cuda, float32


@cuda.jit
def kernel(out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    if t < 16:
        tile[t] = t
        cuda.syncthreads()
    out[t] = t


def run():
    kernel[1, 32](np.zeros(32))


# MESSAGE
# barrier_under_condition.py:12:5: error: a barrier is reached under control that depends on this value, which may differ between the threads of a block
#   12 |     t = cuda.threadIdx.x
#      |     ^
#   help:     move syncthreads() to where every thread of the block passes it
