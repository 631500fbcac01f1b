# `cuda.grid(1) // 32` and `% 32`, a warp for each row: blocks of whole warps, and others, where a warp has two rows.
import numpy as np
from treadle import cuda

from kernels.harness import check, launch


@cuda.jit
def rows(x, out):
    row = cuda.grid(1) // 32
    lane = cuda.grid(1) % 32
    if row < x.shape[0]:
        total = np.int64(0)
        for k in range(lane, x.shape[1], 32):
            total += x[row, k]
        out[row, lane] = total


@cuda.jit
def rows_by_bits(x, out):
    i = cuda.grid(1)
    row, lane = i >> 5, i & 31
    if row < x.shape[0]:
        for k in range(lane, x.shape[1], 32):
            out[row, k] = x[row, k] * 3 + row


@cuda.jit
def sums_by_shuffles(x, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = i // 32
    value = 0
    if row < x.shape[0]:
        value = x[row, i % 32]
    step = 16
    while step > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    if row < x.shape[0] and i % 32 == 0:
        out[row, 0] = value


@cuda.jit
def among_others(out):
    """Other divisors, offsets, columns of the grid, and a stride of the whole grid."""
    i = cuda.grid(1)
    n = out.shape[1]
    if i < n:
        out[0, i] = i // 64 * 1000 + i % 64
        out[1, i] = (i + 32) // 32 * 1000 + (i + 5) % 32
        out[2, i] = i // 16 * 1000 + i % 16
        out[3, i] = i < 96
    for j in range(i, n, cuda.gridsize(1)):
        out[4, j] = j // 32 * 1000 + j % 32


@cuda.jit
def in_warps_of_blocks(out):
    """A block's last warp may be partial, and the next block then begins within 32 threads of the grid."""
    part = cuda.shared.array(128, dtype=np.int64)
    i = cuda.grid(1)
    part[cuda.threadIdx.x] = i // 32 * 1000 + i % 32
    cuda.syncthreads()
    if i < out.size:
        out[i] = part[cuda.threadIdx.x] + 10 * part[cuda.blockDim.x - 1 - cuda.threadIdx.x]


@cuda.jit
def in_two_dimensions(out):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = x // 32 * 1000 + x % 32 + y // 32
    width = cuda.gridsize(2)[0]
    for i in range(x + width, out.shape[1] + width, width):
        if y < out.shape[0]:
            out[y, i - width] += cuda.blockDim.x


PTX = [
    (rows, "(int32[:, ::1], int64[:, ::1])"),
    (rows_by_bits, "(int32[:, ::1], int32[:, ::1])"),
    (sums_by_shuffles, "(int32[:, ::1], int64[:, ::1])"),
    (in_two_dimensions, "(int64[:, ::1])"),
]


def run():
    random = np.random.default_rng(9)
    for block in (32, 64, 96, 33, 48, 100):
        x = random.integers(-99, 99, (13, 70)).astype(np.int32)
        grid = -(-13 * 32 // block)
        check(rows, grid, block, x, np.zeros((13, 32), np.int64))
        check(rows_by_bits, grid, block, x, np.zeros_like(x))
        if block % 32 == 0:
            _, sums = launch(sums_by_shuffles, grid, block, x, np.zeros((13, 1), np.int64))
            assert (sums[:, 0] == x[:, :32].sum(1)).all()
        check(in_warps_of_blocks, grid, block, np.zeros(13 * 32, np.int64))
        check(among_others, grid, block, np.zeros((5, 13 * 32), np.int64))
    for block in ((32, 2), (64, 3), (16, 4), (8, 8), (33, 3), (48, 2)):
        check(in_two_dimensions, (-(-100 // block[0]), -(-40 // block[1])), block, np.zeros((40, 100), np.int64))
