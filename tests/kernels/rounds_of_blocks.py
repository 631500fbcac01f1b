# `for k in range(tid, n, step)`: all lanes of a warp run the iterations that all have, then some run one more.
import numpy as np
import stand_in
from treadle import cuda

from kernels.harness import check


@cuda.jit
def rows(x, out):
    """A block a row, as softmax and norms have it; n is less than a warp, a multiple of the step, or neither."""
    part = cuda.shared.array(64, dtype=np.int64)
    tid, width = cuda.threadIdx.x, cuda.blockDim.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        total = np.int64(0)
        last = -1
        for k in range(tid, x.shape[1], width):
            total += x[row, k]
            last = k
        part[tid] = total + 1000 * last
        cuda.syncthreads()
        for k in range(tid, x.shape[1], width):
            out[row, k] = x[row, k] + part[(tid + 1) % width]
        cuda.syncthreads()


@cuda.jit
def ends(start, stop, out):
    """What is assigned in the loop and used after it; an else clause; the counter after its end."""
    tid = cuda.threadIdx.x
    rounds = 0
    k = -1
    for k in range(tid, stop - start, 32):
        rounds += 1 + (k & 3)
    else:
        rounds += 100
    out[tid] = rounds
    out[tid + 64] = k


@cuda.jit
def leaves(limit, n, out):
    """Lanes that leave early: by break, continue and return, also from a loop within."""
    tid = cuda.threadIdx.x
    total = 0
    for k in range(tid, n, 64):
        if k == limit:
            break
        if k % 5 == 0:
            continue
        total += k
    for k in range(tid, n, 64):
        for inner in range(k % 3):
            if inner + k == limit + 1:
                out[tid] = -total
                return
        total += 1
    out[tid] = total


@cuda.jit
def nested(n, out):
    """Bounds within that depend on the counter; a step that varies between blocks; two rows of threads in a warp."""
    tid = cuda.threadIdx.x
    step = 16 + 16 * cuda.blockIdx.x
    total = 0
    for k in range(tid * 2, n, step):
        for j in range(k, n, 7):
            total += j % 11
        if k % 3 == 1:
            total -= k
    out[cuda.blockIdx.x, cuda.threadIdx.y, tid] = total + cuda.threadIdx.y


@cuda.jit
def near(n, out):
    """The stop is as far from each thread's start."""
    tid = cuda.threadIdx.x
    total = 0
    for k in range(tid, tid + n, 3):
        total += k
    out[tid] = total


WHOLE, PARTIAL = (rows, ends, nested), (leaves, near)

INTS = "(int64, int64, int64[::1])"
PTX = [(rows, "(int64[:, ::1], int64[:, ::1])"), (ends, INTS), (leaves, INTS), (near, "(int64, int64[::1])")]


def run():
    for block in (32, 64):
        for width in (1, 31, 32, 33, 63, 64, 65, 200, 256):
            x = np.arange(3 * width, dtype=np.int64).reshape(3, width) % 17
            check(rows, 2, block, x, np.zeros_like(x))
    for start, stop in ((0, 0), (0, 1), (0, 32), (0, 95), (0, 96), (0, 97), (-40, -8), (-40, 30), (5, 4), (-70, 7)):
        check(ends, 1, 64, start, stop, np.full(128, -7, np.int64))
    for limit, n in ((-5, 64), (-5, 300), (130, 300), (64, 128), (7, 20), (191, 192)):
        check(leaves, 1, 64, limit, n, np.zeros(64, np.int64))
    for n in (0, 20, 64, 65, 190):
        check(nested, 3, (16, 4), n, np.zeros((3, 4, 16), np.int64))
        check(near, 1, 64, n, np.zeros(64, np.int64))
    if not stand_in.is_under_test():
        for kernel in (*WHOLE, *PARTIAL):
            assert has_whole_rounds(kernel) == (kernel in WHOLE), kernel.py_func.__name__


def has_whole_rounds(kernel):
    return any("lastwhole" in kernel.inspect("llvm", types) for types in kernel.signatures)
