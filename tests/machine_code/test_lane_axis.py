"""Warps along another axis than x compute the same: grids of all shapes, blocks that are told apart and not, barriers,
positions and sizes. Expected values are NumPy's."""

import numpy as np
import pytest
from treadle import cuda, float32


@cuda.jit
def positions(out):
    i, j, k = cuda.grid(3)
    if i < out.shape[0] and j < out.shape[1] and k < out.shape[2]:
        out[i, j, k] = (i * 1000 + j) * 1000 + k


@cuda.jit
def parts(out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j, 0] = cuda.threadIdx.x
        out[i, j, 1] = cuda.threadIdx.y
        out[i, j, 2] = cuda.blockIdx.x
        out[i, j, 3] = cuda.blockIdx.y
        out[i, j, 4] = cuda.blockDim.x * 100 + cuda.blockDim.y
        out[i, j, 5] = cuda.gridDim.x * 100 + cuda.gridDim.y


@cuda.jit
def along_rows(out, a):
    i, j = cuda.grid(2)
    step = cuda.gridsize(2)[1]
    if i < out.shape[0]:
        for column in range(j, out.shape[1], step):
            out[i, column] = a[i, column] * 2


@cuda.jit
def by_tiles(out, a):
    tile = cuda.shared.array((8, 64), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    inside = x < a.shape[0] and y < a.shape[1]
    if inside:
        tile[tx, ty] = a[x, y]
    cuda.syncthreads()
    if inside:
        last = min(cuda.blockDim.y, a.shape[1] - cuda.blockIdx.y * cuda.blockDim.y) - 1
        out[x, y] = tile[tx, last - ty]


@cuda.jit
def first_threads(out, a):
    x, y = cuda.grid(2)
    row = cuda.shared.array(64, float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if ty < 40:
        row[ty] = a[x, y] + tx
    cuda.syncthreads()
    if cuda.threadIdx.x < 1:  # all threads of a block that has one row along y
        row[ty] += 1
    cuda.syncthreads()
    if ty < 40:
        out[x, y] = row[39 - ty]


SHAPES = [
    ((1, 40, 3), (5, 1, 1)),
    ((3, 2, 40), (2, 5, 1)),
    ((7, 9, 11), (4, 4, 4)),
    ((2, 3, 1), (1, 29, 35)),
    ((33, 1, 65), (2, 2, 1)),
    ((4, 4, 4), (8, 8, 8)),
]


@pytest.mark.parametrize(("grid", "block"), SHAPES)
def test_grids_of_all_shapes(grid, block):
    shape = tuple(g * b for g, b in zip(grid, block))
    out = np.full(shape, -1, np.int64)
    positions[grid, block](out)
    i, j, k = np.indices(shape)
    assert (out == (i * 1000 + j) * 1000 + k).all()
    smaller = np.full(tuple(max(1, extent - 3) for extent in shape), -1, np.int64)
    positions[grid, block](smaller)
    assert (smaller == out[tuple(slice(extent) for extent in smaller.shape)]).all()


@pytest.mark.parametrize(
    ("grid", "block"), [((3, 5), (4, 32)), ((40, 2), (2, 64)), ((1, 100), (7, 3)), ((9, 1), (9, 9))]
)
def test_blocks_that_are_told_apart(grid, block):
    shape = (grid[0] * block[0], grid[1] * block[1])
    out = np.full((*shape, 6), -1, np.int64)
    parts[grid, block](out)
    i, j = np.indices(shape)
    assert (out[..., 0] == i % block[0]).all()
    assert (out[..., 1] == j % block[1]).all()
    assert (out[..., 2] == i // block[0]).all()
    assert (out[..., 3] == j // block[1]).all()
    assert (out[..., 4] == block[0] * 100 + block[1]).all()
    assert (out[..., 5] == grid[0] * 100 + grid[1]).all()


@pytest.mark.parametrize(("grid", "block"), [((4, 1), (8, 32)), ((9, 3), (4, 16)), ((40, 1), (1, 64))])
def test_strided_loops_along_the_lanes(grid, block):
    a = np.random.default_rng(1).random((33, 301), dtype=np.float32)
    out = np.zeros_like(a)
    along_rows[grid, block](out, a)
    rows = min(grid[0] * block[0], a.shape[0])
    assert (out[:rows] == a[:rows] * 2).all() and (out[rows:] == 0).all()


@pytest.mark.parametrize("block", [(8, 64), (4, 32), (8, 16), (3, 7), (1, 64)])
def test_barriers(block):
    a = np.random.default_rng(2).random((21, 130), dtype=np.float32)
    out = np.zeros_like(a)
    grid = tuple(-(-extent // threads) for extent, threads in zip(a.shape, block))
    by_tiles[grid, block](out, a)
    for begin in range(0, a.shape[1], block[1]):
        part = a[:, begin : begin + block[1]]
        assert (out[:, begin : begin + block[1]] == part[:, ::-1]).all()


def test_guards_between_barriers():
    a = np.random.default_rng(3).random((5, 128), dtype=np.float32)
    out = np.zeros_like(a)
    first_threads[(5, 2), (1, 64)](out, a)
    expected = np.zeros_like(a)
    for begin in (0, 64):
        expected[:, begin : begin + 40] = a[:, begin : begin + 40][:, ::-1] + 1
    assert (out == expected).all()


def test_fortran_order():
    @cuda.jit
    def scaled(out, a):
        x, y = cuda.grid(2)
        if y < out.shape[0] and x < out.shape[1]:
            out[y, x] = a[y, x] * 3

    a = np.asfortranarray(np.arange(50 * 70, dtype=np.int64).reshape(50, 70))
    out = np.zeros_like(a, order="F")
    scaled[(3, 2), (32, 32)](out, a)
    assert (out == a * 3).all()
