# A barrier in an arm that the whole block takes or leaves.
import numpy as np
from treadle import cuda, int64

from kernels.harness import check


@cuda.jit
def some_blocks(x, out):
    shared = cuda.shared.array(48, int64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    value = x[i]
    if cuda.blockIdx.x % 2 == 0:
        shared[t] = value
        cuda.syncthreads()
        value = shared[cuda.blockDim.x - 1 - t]
    out[i] = value


PTX = [(some_blocks, "(int64[::1], int64[::1])")]


def run():
    check(some_blocks, 4, 48, np.arange(192), np.zeros(192, np.int64))
