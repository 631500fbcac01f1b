# Variables of 64 bits whose values need 16 or 32, and ones that need one bit more.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def of_bytes(x, out):
    i = cuda.grid(1)
    if i < x.size:
        before = 32
        if i > 0 and i % 5 != 2:
            before = np.int64(x[i - 1])
        word = 0
        if before == 32 and x[i] != 32:
            word = 1
        out[i] = 1000 * before + word


@cuda.jit
def at_the_bounds(x, out):
    """16 bits hold the first two, 32 the next, and neither the others."""
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        a = b = c = d = e = f = 0
        if v & 1:
            a = min(max(v, -32768), 32767)
            c = min(max(v, -(2**31)), 2**31 - 1)
            e = min(max(v, -32769), 5)
        if v & 2:
            b = min(max(-v, -32768), 7)
            d = min(max(v, 0), 32768)
            f = min(max(v, -5), 2**31)
        out[i, 0], out[i, 1], out[i, 2] = a, b, c
        out[i, 3], out[i, 4], out[i, 5] = d, e, f


@cuda.jit
def growing(x, out):
    """One variable has small values at first; another is a loop's, and so is what it starts from."""
    i = cuda.grid(1)
    if i < x.size:
        total = x[i] & 15
        small = x[i] & 7
        for k in range(small, small + 3):
            total = total * 1000 + k
            small = (small * 5 + k) % 11
            for small in range(small * 100_000, small * 100_000 + 2):
                total += small
            small %= 13
        out[i] = total + small


@cuda.jit
def shrinking(x, out):
    i = cuda.grid(1)
    if i < x.size:
        kept = x[i]
        if x[i] & 1:
            kept = 5
        out[i] = kept


@cuda.jit
def half(value):
    kept = 0
    if value & 1:
        kept = value & 0xFFF
    return kept * 3


@cuda.jit
def in_functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        a = half(x[i])
        b = np.int32(0)
        if a > 40:
            b = np.int32(x[i] & 0xFF)
        out[i] = a * 100_000 * (b + 1) + b


@cuda.jit
def across_barriers(x, out):
    tile = cuda.shared.array(64, np.int64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    kept = 7
    if i < x.size and i % 3:
        kept = x[i] & 0x7FFF
    tile[t] = kept
    cuda.syncthreads()
    other = tile[63 - t] & 0xFF
    cuda.syncthreads()
    if i < x.size:
        out[i] = kept * 1_000_000 + other


@cuda.jit
def as_index(x, out):
    i = cuda.grid(1)
    if i < x.size:
        low, high = 0, x.size - 1
        while low < high:
            middle = (low + high) // 2
            if x[middle] < i:
                low = middle + 1
            else:
                high = middle
        out[i] = x[low] * 1000 + x[-1 - low]


WIDE = "(int64[::1], int64[::1])"
PTX = [
    (of_bytes, "(uint8[::1], int64[::1])"),
    (at_the_bounds, "(int64[::1], int64[:, ::1])"),
    *((kernel, WIDE) for kernel in (growing, shrinking, in_functions, across_barriers, as_index)),
]


def run():
    random = np.random.default_rng(5)
    text = random.choice(np.array([32, 65, 200, 0, 255], np.uint8), 1000)
    ends = [sign * (2**bits + more) for bits in (15, 31, 62) for more in (-2, -1, 0, 1, 2) for sign in (-1, 1)]
    numbers = np.concatenate([np.array(ends), random.integers(-(2**40), 2**40, 300), random.integers(-99, 99, 70)])
    for block in (32, 64, 17):
        for count in (1, 31, 32, 400):
            grid = -(-count // block)
            check(of_bytes, grid, block, text[:count], np.zeros(count, np.int64))
            check(of_bytes, grid, block, text[:count].view(np.int8), np.zeros(count, np.int64))
            x = numbers[:count].copy()
            check(at_the_bounds, grid, block, x, np.zeros((len(x), 6), np.int64))
            for kernel in (growing, shrinking, in_functions):
                check(kernel, grid, block, x, np.zeros_like(x))
            check(as_index, grid, block, np.sort(random.integers(0, 500, count)), np.zeros(count, np.int64))
    check(across_barriers, 7, 64, numbers, np.zeros_like(numbers))
