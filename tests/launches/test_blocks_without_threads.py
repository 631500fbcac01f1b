"""After the last thread of a block has returned, nothing more is evaluated for it: loops end, loads are not made."""

HEAD = """
import numpy as np
from treadle import cuda
"""


def test_endless_loops_with_a_barrier_end_when_all_threads_have_returned(run_python):
    code = """
@cuda.jit
def endless_left_by_return(out, n):
    i = cuda.threadIdx.x
    k = 0
    while True:
        k += 1
        cuda.syncthreads()
        if k == n:
            out[i] = k
            return



@cuda.jit
def endless_left_apart(out):
    i = cuda.threadIdx.x
    k = 0
    while True:
        cuda.syncthreads()
        k += 1
        for _ in range(2):
            if k == i % 5 + 1:
                out[i] = k
                return
            cuda.syncthreads()
for block in (64, 33, 1):
    out = np.zeros(block, np.int64)
    endless_left_by_return[1, block](out, 5)
    assert (out == 5).all()
    endless_left_apart[3, block](out)
    assert out.tolist() == [i % 5 + 1 for i in range(block)]
print("ended")
"""
    assert run_python(HEAD + code) == "ended\n"


def test_blocks_without_threads_load_nothing(run_python):
    code = """
@cuda.jit
def load_of_blocks_beyond(x, out):
    if cuda.blockIdx.x >= x.shape[0]:
        return
    while x[cuda.blockIdx.x] < 3:
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            x[cuda.blockIdx.x] += 1
        cuda.syncthreads()
    out[cuda.grid(1)] = 1



@cuda.jit
def load_behind_the_last_return(x, far, out):
    i = cuda.threadIdx.x
    if i < 40:
        return
    cuda.syncthreads()
    if x[0] == 0:
        out[i] += 1
        return
    for _ in range(x[far]):
        cuda.syncthreads()
        out[i] += 10
x, out = np.zeros(3, np.int64), np.zeros(2560, np.int64)
load_of_blocks_beyond[40, 64](x, out)
assert (x == 3).all()
assert out.tolist() == [1] * 192 + [0] * (2560 - 192)
out = np.zeros(64, np.int64)
load_behind_the_last_return[1, 64](np.array([0, 3]), 1 << 40, out)
assert out.tolist() == [0] * 40 + [1] * 24
load_behind_the_last_return[1, 64](np.array([1, 3]), 1, out)
assert out.tolist() == [0] * 40 + [31] * 24
print("done")
"""
    assert run_python(HEAD + code) == "done\n"
