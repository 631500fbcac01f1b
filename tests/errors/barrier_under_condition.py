# A barrier that only some threads of the block reach.
# ERROR UnsupportedError 13:5
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
# barrier_under_condition.py:13:5: error: syncthreads() is reached under a condition that may differ between the threads of a block
#   13 |     if t < 16:
#      |     ^~~~~~~~~
#   help:     move the barrier to where every thread of the block passes it
