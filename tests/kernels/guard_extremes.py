# Thread indices compared with bounds near and far: every comparison, in both directions, in whole and partial warps.
import numpy as np
from treadle import cuda

from kernels.harness import launch

FAR = [sign * value + off for sign in (1, -1) for value in (0, 31, 64, 2**15, 2**16, 2**31) for off in (-1, 0, 1)]
FAR += [-(2**63), 2**63 - 1, 2**62, 5]


@cuda.jit
def compare(out, bound):
    i = cuda.threadIdx.x
    if i < out.size:
        out[i] = (
            (i < bound)
            + 2 * (i <= bound)
            + 4 * (i > bound)
            + 8 * (i >= bound)
            + 16 * (i == bound)
            + 32 * (i != bound)
            + 64 * (bound < i)
            + 128 * (bound >= i)
            + 256 * (bound == i)
        )


@cuda.jit
def scaled(out, bound):
    i = cuda.threadIdx.x
    near, wide = i * 100 - 900, i * 5000000
    out[i] = (near < bound) + 2 * (wide <= bound) + 4 * (wide == bound) + 8 * (near == bound)


@cuda.jit
def in_two_axes(out, rows, columns):
    row, column = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        inside = row < rows and column < columns
        out[row, column] = (1 if inside else -1) + (10 if 2 * row + 3 * column < 17 else 0)


PTX = [
    (compare, "(int64[::1], int64)"),
    (scaled, "(int64[::1], int64)"),
    (in_two_axes, "(int64[:, ::1], int64, int64)"),
]


def run():
    for bound in FAR:
        for threads in (32, 40, 64):
            out, _ = launch(compare, 1, threads, np.zeros(threads, np.int64), bound)
            i = np.arange(threads).astype(object)
            parts = [
                i < bound,
                i <= bound,
                i > bound,
                i >= bound,
                i == bound,
                i != bound,
                i > bound,
                i <= bound,
                i == bound,
            ]
            assert out.tolist() == [sum(int(p[k]) << n for n, p in enumerate(parts)) for k in range(threads)], bound
        out, _ = launch(scaled, 1, 32, np.zeros(32, np.int64), bound)
        assert out.tolist() == [
            (t * 100 - 900 < bound)
            + 2 * (t * 5000000 <= bound)
            + 4 * (t * 5000000 == bound)
            + 8 * (t * 100 - 900 == bound)
            for t in range(32)
        ]
    row, column = np.mgrid[0:48, 0:48]
    for block in ((16, 16), (8, 8), (5, 7), (4, 8), (32, 4), (33, 3)):
        grid = -(-48 // block[0]), -(-48 // block[1])
        for rows, columns in ((3, 50), (40, 2), (17, 19), (0, 9), (48, 48)):
            out, _, _ = launch(in_two_axes, grid, block, np.zeros((48, 48), np.int64), rows, columns)
            want = np.where((row < rows) & (column < columns), 1, -1) + np.where(2 * row + 3 * column < 17, 10, 0)
            np.testing.assert_array_equal(out, want)
