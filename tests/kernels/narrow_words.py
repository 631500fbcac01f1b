# 64-bit integers that facts and types show to fit in 32 bits, and some that do not fit.
import numpy as np
from treadle import cuda, float32

from kernels.harness import ALL_TARGETS, check, launch

FACTS = {"offsets_fit_int32": True, "grid_fits_int32": True}


# CHECK-PTX: .entry {{.*}}add(
@cuda.jit
def add(x, out):
    # CHECK-PTX-NOT: setp.{{[a-z]+}}.{{[su]}}64
    # CHECK-PTX: setp.{{(ge|lt)}}.u32
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] += x[i]
    # CHECK-PTX: ret


# CHECK-PTX: .entry {{.*}}tiles(
@cuda.jit
def tiles(x, out):
    # CHECK-PTX-NOT: setp.{{[a-z]+}}.{{[su]}}64
    i = cuda.blockIdx.x * 16 + cuda.threadIdx.x
    # The last tile may begin below 2**31 and end above it: an unsigned number.
    # CHECK-PTX: setp.{{[a-z]+}}.u32
    for tile in range((x.size + 15) // 16):
        k = tile * 16 + cuda.threadIdx.x
        if k < x.size and i < out.size:
            out[i] += x[k]
    # CHECK-PTX: ret


# CHECK-PTX: .entry {{.*}}sums(
@cuda.jit
def sums(x, y, out):
    i = cuda.grid(1)
    # CHECK-PTX-NOT: setp.{{[a-z]+}}.{{[su]}}64
    if i < out.size:
        # The sum of two int32 needs one bit more.
        # CHECK-PTX: add.s64
        # CHECK-PTX: setp.{{[a-z]+}}.s64
        out[i] = x[i] + y[i] < y[0]
    # CHECK-PTX: ret


# CHECK-PTX: .entry {{.*}}neighbours(
@cuda.jit
def neighbours(x, out):
    tile = cuda.shared.array(34, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if 0 < i < x.size - 1:
        # One address serves all three.
        # CHECK-PTX: ld.global{{.*}}[[X:%rd[0-9]+]]];
        # CHECK-PTX-DAG: ld.global{{.*}}{{\[}}[[X]]+-4]
        # CHECK-PTX-DAG: ld.global{{.*}}{{\[}}[[X]]+4]
        tile[t + 1] = x[i] - x[i - 1] - x[i + 1]
        # Pointers into shared memory have 32 bits.
        # CHECK-PTX: st.shared.f32 [%r{{[0-9]+}}+4]
        out[i] = tile[t + 1]
    # CHECK-PTX: ret


# CHECK-PTX: .entry {{.*}}fours(
@cuda.jit
def fours(x, out):
    i = cuda.grid(1)
    if i < out.size:
        # Four times a 31-bit number; but no array has an element at that offset.
        # CHECK-PTX: ld.global.v4.f32
        out[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3]
    # CHECK-PTX: ret


# CHECK-PTX: .entry {{.*}}plain(
@cuda.jit
def plain(x, out):
    # Without facts, extents and grid sizes may need 64 bits.
    # CHECK-PTX: setp.{{[a-z]+}}.s64
    i = cuda.grid(1)
    if i < x.size:
        out[i] += x[i]
    # CHECK-PTX: ret


PTX = [
    (add, "(float32[::1], float32[::1])", FACTS),
    (tiles, "(float32[::1], float32[::1])", FACTS),
    (sums, "(int32[::1], int32[::1], boolean[::1])", FACTS),
    (neighbours, "(float32[::1], float32[::1])", FACTS),
    (fours, "(float32[::1], float32[::1])", FACTS | {"aligned16": True}),
    (plain, "(float32[::1], float32[::1])"),
]
TARGETS = ALL_TARGETS


def run():
    values = np.arange(1, 101, dtype=np.float32)
    for size in (0, 1, 64, 97):
        check(add, 3, 32, values[:size], values[:size].copy())
        check(neighbours, 4, 32, values[:size], values[:size].copy())
        check(fours, 1, 32, values, np.zeros(size // 4, np.float32))
        check(plain, 4, 32, values[:size], values[:size].copy())
        check(tiles, 2, 16, values[:size], np.zeros(32, np.float32))
    ends = np.array([-(2**31), -1, 0, 1, 2**31 - 1], np.int32)
    x, y, out = launch(sums, 1, 32, np.repeat(ends, 5), np.tile(ends, 5), np.zeros(25, bool))
    np.testing.assert_array_equal(out, x.astype(np.int64) + y < y[0])
