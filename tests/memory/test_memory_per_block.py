"""The CPU device's memory per block: at most twice what the kernel declares and its threads keep across barriers."""

import numpy as np
from treadle import cuda, float32, float64


@cuda.jit
def neighbours(x):
    tile = cuda.shared.array(1024, float64)
    i = cuda.threadIdx.x
    mine = x[i] * 2.0
    tile[i] = mine
    cuda.syncthreads()
    x[i] = mine + tile[(i + 1) % cuda.blockDim.x]


@cuda.jit
def locals_kept(x):
    row = cuda.local.array(4, float32)
    for k in range(4):
        row[k] = x[cuda.threadIdx.x] + k
    cuda.syncthreads()
    x[cuda.threadIdx.x] = row[3]


@cuda.jit
def nothing_kept(x):
    x[cuda.grid(1)] = 1


def test_memory_per_block():
    assert neighbours.memory_per_block == 0
    for kernel in (neighbours, locals_kept, nothing_kept):
        kernel[1, 64](np.zeros(64))
    kept = 1024 * 8
    assert 8192 + kept <= neighbours.memory_per_block <= 2 * (8192 + kept)
    assert 1024 * 16 <= locals_kept.memory_per_block <= 2 * 1024 * 16
    assert nothing_kept.memory_per_block == 0
    assert list(neighbours.get_memory_per_block().values()) == [neighbours.memory_per_block]
