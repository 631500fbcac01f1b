# Loops over elements of a thread's own, chunks and rows: threads run them in turn, and each thread's are vectorized.
import numpy as np
import stand_in
from treadle import cuda

from kernels.harness import check


@cuda.jit
def scaled(factor, chunk, x, out):
    begin = cuda.grid(1) * chunk
    for i in range(begin, min(begin + chunk, x.size)):
        out[i] = factor * x[i] + i


@cuda.jit
def reduced(chunk, x, out):
    """Integers may be combined in any order; they wrap as they do one by one."""
    t = cuda.grid(1)
    total, product, least, most, bits, odd, every = 5, 3, 1000, -1000, 0, 1, -1
    below = np.int32(7)
    for i in range(t * chunk, min((t + 1) * chunk, x.size)):
        value = np.int64(x[i])
        total += value
        product = value * product
        least = min(least, value)
        most = max(value, most)
        bits |= value
        odd ^= value
        every &= value
        if value < 0:
            below -= 3
        elif value > 50:
            below -= value
    if t < out.shape[0]:
        out[t, 0], out[t, 1], out[t, 2], out[t, 3] = total, product, least, most
        out[t, 4], out[t, 5], out[t, 6], out[t, 7] = bits, odd, every, below


@cuda.jit
def rows(a, b, out, sums):
    """Two loops; the sum's range is known, and its parts are outside of it."""
    i = cuda.grid(1)
    if i < a.shape[0]:
        first = a[i, 0]
        for k in range(a.shape[1]):
            if b[i, k] > 0:
                out[i, k] = a[i, k] - first
        total = 100
        for k in range(1, a.shape[1]):
            total += a[i, k] > b[i, k - 1]
        sums[i] = total


@cuda.jit
def ragged(offsets, x, what, out):
    """Rows may begin below zero, where elements count from the end."""
    i = cuda.grid(1)
    if i < out.size:
        n = 0
        for k in range(offsets[i], offsets[i + 1]):
            n += x[k] == what
        out[i] = n


@cuda.jit
def carried(chunk, x, y):
    """What an iteration stores the next one loads, or stores again: LLVM keeps their order."""
    t = cuda.grid(1)
    for i in range(t * chunk, (t + 1) * chunk - 1):
        x[i + 1] = x[i] + x[i + 1]
    for i in range(t * chunk, (t + 1) * chunk - 1):
        y[i + 1] = x[i]
        y[i] = x[i] + 7 + y[i + 1]


@cuda.jit
def hashed(chunk, x, out):
    """Not any order: each step has two operations. The last value and the counter are used after the loop."""
    t = cuda.grid(1)
    value, last, i = 17, 0, -1
    for i in range(t * chunk, (t + 1) * chunk):
        value = (value ^ np.int64(x[i])) * 31
    for i in range(t * chunk, (t + 1) * chunk):
        last = x[i]
    out[t] = value + last + i


@cuda.jit
def transposed(a, out):
    """Neighbours' elements are adjacent."""
    i = cuda.grid(1)
    if i < a.shape[1]:
        for k in range(a.shape[0]):
            out[k, i] = a[k, i] + k


@cuda.jit
def windows(n, x, out):
    """Elements of iterations are adjacent, and those of neighbours."""
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        for k in range(n):
            total += x[i + k] * x[k]
        out[i] = total


@cuda.jit
def in_a_function(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        out[i] = sum_of(a, i, a.shape[1])


@cuda.jit(device=True)
def sum_of(a, i, n):
    total = 0
    for k in range(n):
        total += a[i, k]
    return total


@cuda.jit
def between_barriers(a, out):
    part = cuda.shared.array(64, dtype=np.int64)
    tid = cuda.threadIdx.x
    i = cuda.blockIdx.x * 64 + tid
    total = 0
    if i < a.shape[0]:
        for k in range(a.shape[1]):
            total += a[i, k]
    part[tid] = total
    cuda.syncthreads()
    if i < a.shape[0]:
        for k in range(a.shape[1]):
            out[i, k] = a[i, k] + part[(tid + 1) % 64]


ALONE = (scaled, reduced, rows, ragged, carried, in_a_function, between_barriers)
TOGETHER = (hashed, transposed, windows)

PTX = [
    (scaled, "(float32, int64, float32[::1], float32[::1])"),
    (reduced, "(int64, int32[::1], int64[:, ::1])"),
    (rows, "(int32[:, ::1], int32[:, ::1], int32[:, ::1], int64[::1])"),
    (ragged, "(int64[::1], uint8[::1], int64, int64[::1])"),
]


def run():
    random = np.random.default_rng(5)
    for count, chunk in ((1, 3), (100, 8), (70, 31), (2, 4500)):
        grid, size = -(-count // 32), count * chunk
        floats = random.integers(-99, 99, size).astype(np.float32)
        check(scaled, grid, 32, np.float32(3), chunk, floats, floats * 0)
        for kind in (np.int8, np.int32, np.int64):
            x = random.integers(-100, 100, size).astype(kind)
            check(reduced, grid, 32, chunk, x, np.zeros((count, 8), np.int64))
            check(carried, 1, min(count, 64), chunk, x, np.zeros_like(x))
            check(hashed, 1, min(count, 64), chunk, x, np.zeros(64, np.int64))
        # Parts of one allocation.
        both = np.concatenate([floats, floats])
        check(scaled, grid, 32, np.float32(3), chunk, both[:size], both[size:])
        check(windows, 1, 64, min(chunk, size - 1), x, np.zeros(min(64, size - min(chunk, size - 1)), np.int64))
    for count, width in ((64, 1), (64, 40), (33, 300), (100, 7)):
        grid = -(-count // 64)
        a, b = (random.integers(-50, 50, (count, width)).astype(np.int32) for _ in range(2))
        check(rows, grid, 64, a, b, np.zeros_like(a), np.zeros(count, np.int64))
        check(transposed, -(-width // 64), 64, a, np.zeros_like(a))
        check(in_a_function, grid, 64, a, np.zeros(count, np.int64))
        check(between_barriers, grid, 64, a, np.zeros_like(a))
        lengths = random.integers(0, 2 * width, count)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        x = random.integers(0, 4, offsets[-1] + 1).astype(np.uint8)
        check(ragged, grid, 64, offsets, x, 3, np.zeros(count, np.int64))
        check(ragged, grid, 64, np.maximum(offsets - count, -x.size), x, 3, np.zeros(count, np.int64))
        check(ragged, grid, 64, offsets.astype(np.int32), x, 3, np.zeros(count, np.int64))
    # One thread that reads what it has stored.
    one = np.arange(400.0, dtype=np.float32)
    for shift in (0, 1, 40):
        check(scaled, 1, 1, np.float32(2), 360, one[:360], one[shift : shift + 360])
    if not stand_in.is_under_test():
        for kernel in (*ALONE, *TOGETHER):
            assert runs_alone(kernel) == (kernel in ALONE), kernel.py_func.__name__


def runs_alone(kernel):
    return any("llvm.loop.vectorize.enable" in kernel.inspect("llvm", types) for types in kernel.signatures)
