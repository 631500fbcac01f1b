# Loops in which threads stride over an array together, whose iterations the CPU runs in another order, and loops that
# only look similar: each thread must see its own values.
import numpy as np
from treadle import cuda, float32, int32, int64

from kernels.harness import check


@cuda.jit
def by_range(x, out, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        out[i] = out[i] * 3 + x[i]


@cuda.jit
def by_while(x, out, n):
    i = cuda.grid(1)
    while i < n:
        out[i] = out[i] * 3 + x[i]
        i += cuda.gridsize(1)


@cuda.jit
def by_hand(x, out, n):
    start = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    step = cuda.blockDim.x * cuda.gridDim.x
    for i in range(start, n, step):
        for k in range(100):
            if k == x[i] % 7:
                break
            out[i] += k
        out[i] = out[i] * 3 + x[i]


@cuda.jit
def from_names(x, out, n):
    # The loop's start and the values that its body uses are computed before it.
    t = cuda.threadIdx.x
    size = cuda.blockDim.x
    thread = cuda.blockIdx.x * size + t
    i = thread
    while i < n:
        out[i] = out[i] * 3 + thread
        i += size * cuda.gridDim.x


@cuda.jit
def by_block_from_names(x, out, n):
    t = cuda.threadIdx.x
    size = cuda.blockDim.x
    row = cuda.blockIdx.x
    thread = row * size + t
    i = t
    while i < n:
        out[row, i] = out[row, i] * 3 + thread
        i += size


@cuda.jit
def else_clause_leaves(x, out, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        for k in range(3):
            if x[i] % 5 == k:
                break
        else:
            break
        out[i] = out[i] * 3 + x[i]


@cuda.jit
def else_clause_continues(x, out, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        k = 0
        while k < 3:
            if x[i] % 5 == k:
                break
            k += 1
        else:
            continue
        out[i] = out[i] * 3 + x[i]


@cuda.jit
def by_block(x, out, n):
    # Each block covers the whole range, in its own row.
    row = out[cuda.blockIdx.x]
    first = cuda.threadIdx.x
    for i in range(first, n, cuda.blockDim.x):
        row[i] = row[i] * 3 + x[i]


@cuda.jit
def who(x, out, n):
    t = cuda.grid(1)
    for i in range(t, n, cuda.gridsize(1)):
        out[i] = t * 1000 + cuda.threadIdx.x * 100 + cuda.blockIdx.x


@cuda.jit
def carried(x, out, n):
    total = int64(0)
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        total = total * 2 + x[i]
        out[i] = total


@cuda.jit
def last_index(x, out, n):
    t = cuda.grid(1)
    i = int64(-1)
    for i in range(t, n, cuda.gridsize(1)):
        out[i] = x[i]
    if i >= 0 and t < out.size:
        out[t] += i * 1000


@cuda.jit
def kept_in_local_memory(x, out, n):
    own = cuda.local.array(2, int64)
    own[0] = cuda.grid(1)
    own[1] = 0
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        own[1] += x[i]
        out[i] = own[1] + own[0] * 1000


@cuda.jit
def leaves(x, out, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        if x[i] % 5 == 4:
            break
        if x[i] % 3 == 1:
            continue
        out[i] = x[i]


@cuda.jit
def counts(x, out, n):
    own = cuda.shared.array(8, int32)
    t = cuda.threadIdx.x
    early = t
    if t < 8:
        own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(own, x[i] % 8, early - t + 1)
    cuda.syncthreads()
    if t < 8:
        cuda.atomic.add(out, t, own[t])


@cuda.jit
def some_returned(x, out, n):
    t = cuda.grid(1)
    if t % 3 == 1:
        return
    scale = float32(2.0) if t % 2 else float32(4.0)
    for i in range(t, n, cuda.gridsize(1)):
        out[i] = int64(scale) * x[i]


KERNELS = (by_range, by_while, by_hand, by_block, who, carried, last_index, kept_in_local_memory, leaves, counts,
           else_clause_leaves, else_clause_continues, from_names, by_block_from_names)  # fmt: skip
ROWS = (by_block, by_block_from_names)
PTX = [
    (kernel, f"(int64[::1], int64[{':,' if kernel in ROWS else ''}::1], int64)") for kernel in (*KERNELS, some_returned)
]


def run():
    random = np.random.default_rng(3)
    for grid, block in ((1, 1), (1, 31), (3, 32), (2, 33), (2, 96), (5, 64), (1, 256)):
        for n in (0, 1, 31, 33, 500):
            x = random.integers(0, 30, 500)
            for kernel in (*KERNELS, some_returned):
                if kernel is counts and block < 8:
                    continue
                check(kernel, grid, block, x, np.full((grid, 500) if kernel in ROWS else 500, 7), n)
    limits()


@cuda.jit
def near_the_end(hits, start, stop):
    for i in range(cuda.grid(1), stop, cuda.gridsize(1)):
        if i >= start:
            hits[i - start] += 1


@cuda.jit
def long_steps(hits, stop):
    for i in range(cuda.threadIdx.x, stop, 2**62):
        cuda.atomic.add(hits, i % 97, 1)


def limits():
    """Stops and steps near the end of their type."""
    hits = np.zeros(64, np.int64)
    near_the_end[2, 32](hits, 2**14 - 50, 2**14)
    assert hits.tolist() == [1] * 50 + [0] * 14
    hits = np.zeros(97, np.int64)
    long_steps[1, 64](hits, 2**63 - 1)
    expected = np.zeros(97, np.int64)
    for t in range(64):
        for i in range(t, 2**63 - 1, 2**62):
            expected[i % 97] += 1
    assert hits.tolist() == expected.tolist()
