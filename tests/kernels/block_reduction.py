# Sum of a block by halving: barriers in a while loop with a uniform trip count, and a guard inside.
import numpy as np
from treadle import cuda, int64

from kernels.harness import launch


@cuda.jit
def block_sums(x, out):
    shared = cuda.shared.array(256, int64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            shared[t] += shared[t + half]
        # CHECK-PTX: bar.sync
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = shared[0]


PTX = [(block_sums, "(int64[::1], int64[::1])")]


def run():
    x = np.arange(1000) ** 2
    for threads in (1, 2, 32, 64, 256):
        blocks = -(-x.size // threads)
        _, out = launch(block_sums, blocks, threads, x, np.zeros(blocks, np.int64))
        padded = np.zeros(blocks * threads, np.int64)
        padded[: x.size] = x
        np.testing.assert_array_equal(out, padded.reshape(blocks, threads).sum(1))
