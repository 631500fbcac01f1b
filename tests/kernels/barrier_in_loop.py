# Values that live across barriers, in registers and in shared memory, over many phases and partial warps.
import numpy as np
from treadle import cuda, int32

from kernels.harness import check


@cuda.jit
def rotate(x, rounds, out):
    ring = cuda.shared.array(105, int32)
    t = (cuda.threadIdx.z * cuda.blockDim.y + cuda.threadIdx.y) * cuda.blockDim.x + cuda.threadIdx.x
    n = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    own = x[t]
    total = 0
    for r in range(rounds):
        ring[t] = own + r
        cuda.syncthreads()
        own = ring[(t + 1) % n]
        if own % 2 == 0:
            total += own
        else:
            total -= r
        cuda.syncthreads()
    out[t] = total * 1000 + own


PTX = [(rotate, "(int32[::1], int64, int64[::1])")]


def run():
    for block in ((33,), (5, 7, 3), (64,)):
        n = int(np.prod(block))
        check(rotate, 1, block, np.arange(n, dtype=np.int32) * 3, 5, np.zeros(n, np.int64))
