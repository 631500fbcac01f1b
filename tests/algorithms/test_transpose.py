"""Transposition through a padded tile in shared memory, of matrices and of stacks of them."""

import numpy as np
import pytest
from treadle import complex64, cuda, float32, float64, int8

TILE = 32
BLOCK_ROWS = 8


@cuda.jit
def copy(a, out):
    x = cuda.blockIdx.x * TILE + cuda.threadIdx.x
    y = cuda.blockIdx.y * TILE + cuda.threadIdx.y
    for j in range(0, TILE, BLOCK_ROWS):
        if x < a.shape[1] and y + j < a.shape[0]:
            out[y + j, x] = a[y + j, x]


def make_transpose(dtype):
    """The padding puts the elements of a tile's column into different banks."""

    @cuda.jit
    def transpose(a, out):
        tile = cuda.shared.array((32, 33), dtype)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x = cuda.blockIdx.x * TILE + tx
        y = cuda.blockIdx.y * TILE + ty
        for j in range(0, TILE, BLOCK_ROWS):
            if x < a.shape[1] and y + j < a.shape[0]:
                tile[ty + j, tx] = a[y + j, x]
        cuda.syncthreads()
        x = cuda.blockIdx.y * TILE + tx
        y = cuda.blockIdx.x * TILE + ty
        for j in range(0, TILE, BLOCK_ROWS):
            if x < out.shape[1] and y + j < out.shape[0]:
                out[y + j, x] = tile[tx, ty + j]

    return transpose


@cuda.jit
def transpose_stack(a, out):
    """Every matrix of a stack, with a layer of blocks per matrix; the element type is NumPy's."""
    tile = cuda.shared.array(shape=(16, 17), dtype=np.int16)
    x, y, layer = cuda.grid(3)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if y < a.shape[1] and x < a.shape[2]:
        tile[ty, tx] = a[layer, y, x]
    cuda.syncthreads()
    row = cuda.blockIdx.x * 16 + ty
    column = cuda.blockIdx.y * 16 + tx
    if row < out.shape[1] and column < out.shape[2]:
        out[layer, row, column] = tile[tx, ty]


@cuda.jit
def transpose_in_place(a):
    """Tiles on and above the diagonal, each swapped with its mirror image; the blocks below do nothing."""
    upper = cuda.shared.array((16, 17), float32)
    lower = cuda.shared.array((16, 17), float32)
    bx, by = cuda.blockIdx.x, cuda.blockIdx.y
    if bx < by:
        return
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = by * 16 + ty, bx * 16 + tx
    mirror_row, mirror_column = bx * 16 + ty, by * 16 + tx
    n = a.shape[0]
    if row < n and column < n:
        upper[ty, tx] = a[row, column]
    if mirror_row < n and mirror_column < n:
        lower[ty, tx] = a[mirror_row, mirror_column]
    cuda.syncthreads()
    if row < n and column < n:
        a[row, column] = lower[tx, ty]
    if bx != by and mirror_row < n and mirror_column < n:
        a[mirror_row, mirror_column] = upper[tx, ty]


KERNELS = {np.float32: make_transpose(float32), np.float64: make_transpose(float64),
           np.complex64: make_transpose(complex64), np.int8: make_transpose(int8)}  # fmt: skip
PTX = [
    (copy, "(float32[:, ::1], float32[:, ::1])"),
    (KERNELS[np.float32], "(float32[:, ::1], float32[:, ::1])"),
    (KERNELS[np.float64], "(float64[::1, :], float64[:, ::1])"),
    (KERNELS[np.complex64], "(complex64[:, ::1], complex64[:, ::1])"),
    (KERNELS[np.int8], "(int8[:, ::1], int8[:, ::1])"),
    (transpose_stack, "(int16[:, :, ::1], int16[:, :, ::1])"),
    (transpose_in_place, "(float32[:, ::1],)"),
]

SHAPES = [(32, 32), (64, 96), (1, 100), (50, 1), (71, 45)]


def make_matrix(shape, dtype):
    numbers = np.random.default_rng(sum(shape)).integers(-100, 100, shape)
    return (numbers + 1j * numbers.max() if dtype is np.complex64 else numbers).astype(dtype)


def grid_of(shape, tile):
    return -(-shape[1] // tile), -(-shape[0] // tile)


@pytest.mark.parametrize("shape", SHAPES)
def test_copy(shape):
    a = make_matrix(shape, np.float32)
    out = np.zeros_like(a)
    copy[grid_of(shape, TILE), (TILE, BLOCK_ROWS)](a, out)
    np.testing.assert_array_equal(out, a)


@pytest.mark.parametrize("dtype", KERNELS, ids=lambda d: d.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_transpose(shape, dtype):
    a = make_matrix(shape, dtype)
    out = np.zeros(shape[::-1], dtype)
    KERNELS[dtype][grid_of(shape, TILE), (TILE, BLOCK_ROWS)](a, out)
    np.testing.assert_array_equal(out, a.T)


def test_fortran_order_and_steps():
    a = make_matrix((90, 140), np.float64)
    part, out = np.asfortranarray(a)[5:80, 3::2], np.zeros((69, 75))
    KERNELS[np.float64][grid_of(part.shape, TILE), (TILE, BLOCK_ROWS)](part, out)
    np.testing.assert_array_equal(out, part.T)


@pytest.mark.parametrize("shape", SHAPES)
def test_stack(shape):
    a = np.stack([make_matrix(shape, np.int16) + k for k in range(3)])
    out = np.zeros((3, *shape[::-1]), np.int16)
    transpose_stack[(*grid_of(shape, 16), 3), (16, 16)](a, out)
    np.testing.assert_array_equal(out, a.transpose(0, 2, 1))


@pytest.mark.parametrize("size", [1, 16, 50, 64])
def test_in_place(size):
    a = make_matrix((size, size), np.float32)
    out = a.copy()
    transpose_in_place[grid_of(a.shape, 16), (16, 16)](out)
    np.testing.assert_array_equal(out, a.T)
