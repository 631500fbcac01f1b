# A value that a thread has read may have changed after a barrier, after a fence or in the next turn of a waiting loop.
import numpy as np
from treadle import cuda


@cuda.jit
def over_a_barrier(g, out):
    t = cuda.threadIdx.x
    before = g[t]
    cuda.syncthreads()
    if t < 32:
        g[t + 32] = 7
        cuda.syncthreads()
    else:
        cuda.syncthreads()
    out[t] = before * 10 + g[t]


@cuda.jit
def over_a_plain_barrier(g, out):
    t = cuda.threadIdx.x
    before = g[t]
    cuda.syncthreads()
    g[(t + 1) % 64] = t
    cuda.syncthreads()
    out[t] = before * 100 + g[t]


@cuda.jit
def over_the_grid(g, out):
    i = cuda.grid(1)
    before = g[0]
    cuda.cg.this_grid().sync()
    if cuda.blockIdx.x == 1:
        g[0] = 7
    cuda.cg.this_grid().sync()
    out[i] = before * 10 + g[0]


@cuda.jit
def in_a_loop(g, out):
    group = cuda.cg.this_grid()
    turns = 0
    while g[0] < 3:
        group.sync()
        if cuda.grid(1) == 0:
            g[0] += 1
        group.sync()
        turns += 1
    out[cuda.grid(1)] = turns


@cuda.jit
def by_a_flag(flag, out):
    if cuda.blockIdx.x == 0:
        while flag[0] == 0:
            pass
        out[0] = cuda.atomic.max(flag, 0, 0) + 1
    else:
        cuda.atomic.exch(flag, 0, 41)


PTX = [(k, "(int32[::1], int32[::1])") for k in (over_a_barrier, over_a_plain_barrier, over_the_grid, in_a_loop)]


def run():
    def launched(kernel, grid, block):
        out = np.zeros(64, np.int32)
        kernel[grid, block](np.zeros(64, np.int32), out)
        return out.tolist()

    assert launched(over_a_barrier, 1, 64) == [0] * 32 + [7] * 32
    assert launched(over_a_plain_barrier, 1, 64) == [63, *range(63)]
    assert launched(over_the_grid, 2, 32) == [7] * 64
    assert launched(in_a_loop, 2, 32) == [3] * 64
    assert launched(by_a_flag, 2, 1)[0] == 42
    text = cuda.compile_ptx(over_a_plain_barrier, "(int32[::1], int32[::1])", facts={"no_overlap": True})[0]
    assert text.count("ld.global") == 2
