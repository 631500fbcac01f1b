# Sums of small terms in loops that threads run in turn: added in 32 bits for a strip of iterations, in 64 altogether.
import numpy as np
import stand_in
from treadle import cuda

from kernels.harness import check


@cuda.jit
def dot(a, b, start, out):
    row = cuda.grid(1)
    if row < out.size:
        total = start
        for k in range(b.size):
            total += np.int64(a[row, k]) * b[k]
        out[row] = total


@cuda.jit
def counted(a, out):
    """Several sums, one of differences, one of terms in arms."""
    row = cuda.grid(1)
    if row < out.shape[0]:
        above, below, both = 1 << 40, 0, -7
        for k in range(a.shape[1]):
            above += a[row, k] > 3
            below = below - np.int64(a[row, k])
            if a[row, k] < 0:
                both += 262143
            else:
                both = 262143 + both
        out[row, 0], out[row, 1], out[row, 2] = above, below, both


@cuda.jit
def unsigned(a, out):
    row = cuda.grid(1)
    if row < out.size:
        total = np.uint64(1) << np.uint64(63)
        for k in range(a.shape[1]):
            total -= a[row, k]
        out[row] = total


@cuda.jit
def just_large(a, out):
    """2**19 times the 2**12 iterations of a strip is 2**31."""
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(a.shape[1]):
            total += 524288 if a[row, k] >= 0 else 0
        out[row] = total


@cuda.jit
def just_large_together(a, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(a.shape[1]):
            if a[row, k] >= 0:
                total += 262144
            if a[row, k] > -2:
                total += 262144
        out[row] = total


@cuda.jit
def just_small(a, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(a.shape[1]):
            total += -524289 if a[row, k] >= 0 else 0
        out[row] = total


@cuda.jit
def far_too_large(a, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(a.shape[1]):
            total += np.int64(a[row, k]) << 40
        out[row] = total


@cuda.jit
def seen(a, out):
    """What a thread has so far is stored."""
    row = cuda.grid(1)
    if row < out.shape[0]:
        total = 1 << 33
        for k in range(a.shape[1]):
            total += np.int64(a[row, k])
            out[row, k] = total


NARROW = (dot, counted, unsigned)
WIDE = (just_large, just_large_together, just_small, far_too_large, seen)

PTX = [
    (dot, "(int8[:, ::1], int8[::1], int64, int64[::1])"),
    *((kernel, "(int8[:, ::1], int64[::1])") for kernel in (just_large, far_too_large)),
]


def run():
    random = np.random.default_rng(3)
    for rows, columns in ((3, 19), (33, 70), (2, 4096), (2, 4097), (1, 9000)):
        grid = -(-rows // 32)
        out = np.zeros(rows, np.int64)
        for kind in (np.int8, np.uint8):
            low, high = np.iinfo(kind).min, np.iinfo(kind).max
            a = random.integers(low, high + 1, (rows, columns)).astype(kind)
            check(dot, grid, 32, a, a[0], 1 << 40, out)
            check(dot, grid, 32, np.full_like(a, low), np.full(columns, low, kind), -1, out)
            check(dot, grid, 32, np.full_like(a, high), np.full(columns, high, kind), 0, out)
        check(unsigned, grid, 32, a, out.astype(np.uint64))
        a = a.astype(np.int8)
        check(counted, grid, 32, a, np.zeros((rows, 3), np.int64))
        check(seen, grid, 32, a, np.zeros((rows, columns), np.int64))
        for kernel in (just_large, just_large_together, just_small, far_too_large):
            check(kernel, grid, 32, np.abs(a.astype(np.int16)).astype(np.int8) & 127, out)
    if not stand_in.is_under_test():
        for kernel in (*NARROW, *WIDE):
            texts = [kernel.inspect("llvm", types) for types in kernel.signatures]
            assert all("vectorize.enable" in text for text in texts), kernel.py_func.__name__
            assert all(("sum.of.strips" in text) == (kernel in NARROW) for text in texts), kernel.py_func.__name__
