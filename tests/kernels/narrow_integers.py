# Arithmetic on integers of 64 bits whose operands come from at most 32: where 32 bits are enough, and where not.
import numpy as np
from treadle import cuda

from kernels.harness import check, launch


@cuda.jit
def sums(a, b, out):
    """The first three fit 32 bits, the next two without a sign, and the others may not."""
    i = cuda.grid(1)
    if i < a.size:
        out[i, 0] = np.int64(a[i]) * 3 - 7 + (np.int64(a[i]) >> 2)
        out[i, 1] = (np.int64(a[i]) ^ 85) * np.int64(a[i])
        out[i, 2] = np.int64(b[i]) // 2 - np.int64(a[i]) * 65536
        out[i, 3] = np.int64(np.uint32(b[i])) | np.int64(a[i])
        out[i, 4] = np.int64(a[i]) * 2**24
        out[i, 5] = np.int64(b[i]) + np.int64(a[i])
        out[i, 6] = np.int64(b[i]) * np.int64(a[i])
        out[i, 7] = -np.int64(b[i]) ^ np.int64(a[i])


@cuda.jit
def shifts(a, b, out):
    """Counts of up to 31, and of up to 63."""
    i = cuda.grid(1)
    if i < a.size:
        out[i, 0] = (np.int64(b[i]) & 255) << (np.int64(a[i]) & 15)
        out[i, 1] = (np.int64(b[i]) & 1) << (np.int64(a[i]) & 31)
        out[i, 2] = (np.int64(b[i]) & 1) << (np.int64(a[i]) & 63)
        out[i, 3] = np.int64(b[i]) >> (np.int64(a[i]) & 31)
        out[i, 4] = np.int64(b[i]) >> (np.int64(a[i]) & 63)
        out[i, 5] = ((1 << (np.int64(a[i]) & 31)) - 1) & np.int64(b[i])
        out[i, 6] = (np.int64(b[i]) & 65535) << 16
        out[i, 7] = np.int64(np.uint32(b[i])) >> (np.int64(a[i]) & 31)


@cuda.jit
def orders(a, b, out):
    """Signed and unsigned numbers, of which uint64 may be above all that int64 has."""
    i = cuda.grid(1)
    if i < a.size:
        huge = np.uint64(np.uint64(a[i]) & np.uint64(1)) - np.uint64(1)
        out[i, 0] = min(np.int64(a[i]), np.int64(b[i])) + max(np.int64(a[i]) * 3, np.int64(b[i]))
        out[i, 1] = np.int64(np.int64(a[i]) < np.int64(b[i])) + 2 * np.int64(np.int64(a[i]) == np.int64(b[i]))
        out[i, 2] = np.int64(np.int64(b[i]) < np.int64(np.uint32(b[i]))) + 2 * (np.int64(b[i]) >= np.int64(a[i]))
        out[i, 3] = np.int64(np.uint64(np.uint32(b[i])) > np.uint64(a[i]))
        out[i, 4] = np.int64(np.uint64(a[i]) < (np.uint64(a[i]) & np.uint64(1)) - np.uint64(1))
        out[i, 5] = np.int64(huge > np.uint64(a[i])) + 2 * np.int64(huge >> np.uint64(1) > np.uint64(a[i]))
        out[i, 6] = np.int64(max(np.uint64(np.uint32(b[i])), np.uint64(a[i])))
        out[i, 7] = np.int64(b[i]) // (np.int64(a[i]) + 1) * 3 + np.int64(b[i]) % -(np.int64(a[i]) + 1)


@cuda.jit
def counts(a, b, out):
    """How many bits are set, and where the first and last one is."""
    i = cuda.grid(1)
    if i < a.size:
        out[i, 0] = cuda.popc(np.int64(a[i]))
        out[i, 1] = cuda.popc(np.uint64(np.uint32(b[i])))
        out[i, 2] = cuda.popc(np.int64(b[i]))
        out[i, 3] = cuda.popc(np.int64(b[i]) & ((1 << (np.int64(a[i]) & 31)) - 1))
        out[i, 4] = cuda.clz(np.int64(a[i])) + cuda.clz(np.int64(b[i]))
        out[i, 5] = cuda.ffs(np.int64(b[i])) - 1
        out[i, 6] = b[31 - cuda.clz(np.int64(a[i]))]
        out[i, 7] = b[15 - cuda.ffs(np.int64(b[i]))] + cuda.popc(b[8 - cuda.popc(np.int64(b[i]))])


KERNELS = [sums, shifts, orders, counts]
PTX = [(kernel, "(uint8[::1], int32[::1], int64[:, ::1])") for kernel in KERNELS]
EDGES = [0, 1, -1, 2, 31, 32, 255, 2**15, 2**16, 2**31 - 1, -(2**31), -(2**31) + 1, 2**30, -12345, 99999]


def counted(x, y, b):
    """What counts() stores for one element."""
    wide = y % 2**64
    popc = [value.bit_count() for value in (x, y % 2**32, wide, wide & ((1 << (x & 31)) - 1))]
    clz = [64 - value.bit_length() for value in (x, wide)]
    ffs = (wide & -wide).bit_length()
    found = b[15 - ffs] + (b[8 - popc[2]] % 2**32).bit_count()
    return [*popc, sum(clz), ffs - 1, b[31 - clz[0]], found]


def run():
    b = np.array([y for y in EDGES for _ in range(13)], np.int32)
    a = np.array([0, 1, 2, 15, 16, 30, 31, 32, 33, 63, 64, 254, 255] * len(EDGES), np.uint8)
    bits = [counted(*pair, b.tolist()) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    for block in (32, 64):
        grid, out = -(-a.size // block), np.zeros((a.size, 8), np.int64)
        for kernel in (sums, shifts, orders):
            check(kernel, grid, block, a, b, out)
        assert np.array_equal(launch(counts, grid, block, a, b, out)[2], bits)
