"""Matrix products through shared memory: square tiles, and tiles in which each thread computes several rows."""

import numpy as np
import pytest
from treadle import cuda, float32

TPB = 16
ROWS = 4

SHAPES = [(16, 16, 16), (32, 64, 96), (33, 20, 50), (1, 100, 1), (65, 31, 7), (40, 1, 33)]


@cuda.jit
def matmul(A, B, C):
    i, j = cuda.grid(2)
    if i < C.shape[0] and j < C.shape[1]:
        tmp = 0.0
        for k in range(A.shape[1]):
            tmp += A[i, k] * B[k, j]
        C[i, j] = tmp


@cuda.jit
def fast_matmul(A, B, C):
    sA = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    sB = cuda.shared.array(shape=(TPB, TPB), dtype=float32)

    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    bpg = (A.shape[1] + TPB - 1) // TPB

    tmp = float32(0.0)
    for i in range(bpg):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and (tx + i * TPB) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * TPB]
        if x < B.shape[1] and (ty + i * TPB) < B.shape[0]:
            sB[ty, tx] = B[ty + i * TPB, x]
        cuda.syncthreads()

        for j in range(TPB):
            tmp += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()

    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = tmp


def make_tiled(tile, dtype):
    """The product in square tiles whose size and type come from the closure."""

    @cuda.jit
    def tiled(a, b, c):
        left = cuda.shared.array((tile, tile), dtype)
        right = cuda.shared.array((tile, tile), dtype)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        row = cuda.blockIdx.y * tile + ty
        column = cuda.blockIdx.x * tile + tx
        total = dtype(0)
        for start in range(0, a.shape[1], tile):
            in_a = row < a.shape[0] and start + tx < a.shape[1]
            in_b = start + ty < b.shape[0] and column < b.shape[1]
            left[ty, tx] = a[row, start + tx] if in_a else dtype(0)
            right[ty, tx] = b[start + ty, column] if in_b else dtype(0)
            cuda.syncthreads()
            for k in range(tile):
                total += left[ty, k] * right[k, tx]
            cuda.syncthreads()
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = total

    return tiled


@cuda.jit
def coarsened_matmul(a, b, c):
    """A 32 x 32 tile per 32 x 8 threads: each keeps four sums of one column in a local array."""
    left = cuda.shared.array((32, 33), float32)
    right = cuda.shared.array((32, 33), float32)
    sums = cuda.local.array(ROWS, float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    first_row = cuda.blockIdx.y * 32
    column = cuda.blockIdx.x * 32 + tx
    for r in range(ROWS):
        sums[r] = 0
    for start in range(0, a.shape[1], 32):
        for r in range(ROWS):
            y = ty + 8 * r
            left[y, tx] = 0
            right[y, tx] = 0
            if first_row + y < a.shape[0] and start + tx < a.shape[1]:
                left[y, tx] = a[first_row + y, start + tx]
            if start + y < b.shape[0] and column < b.shape[1]:
                right[y, tx] = b[start + y, column]
        cuda.syncthreads()
        for k in range(32):
            value = right[k, tx]
            for r in range(ROWS):
                sums[r] += left[ty + 8 * r, k] * value
        cuda.syncthreads()
    for r in range(ROWS):
        row = first_row + ty + 8 * r
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = sums[r]


@cuda.jit
def dynamic_matmul(a, b, c, tile):
    """Both tiles in dynamic shared memory, whose size the launch chooses."""
    tiles = cuda.shared.array(0, float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    right = tile * tile
    total = float32(0)
    for start in range(0, a.shape[1], tile):
        here = ty * tile + tx
        tiles[here] = a[row, start + tx] if row < a.shape[0] and start + tx < a.shape[1] else 0
        tiles[right + here] = b[start + ty, column] if start + ty < b.shape[0] and column < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(tile):
            total += tiles[ty * tile + k] * tiles[right + k * tile + tx]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit(device=True)
def dot(row, tile, column, count):
    total = float32(0)
    for k in range(count):
        total += row[k] * tile[k, column]
    return total


@cuda.jit
def sliced_matmul(a, b, c):
    """Halves of dynamic shared memory as two flat arrays, and rows of a tile passed to a device function."""
    both = cuda.shared.array(0, float32)
    left = both[: TPB * TPB]
    right = both[TPB * TPB :]
    square = cuda.shared.array((TPB, TPB), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for start in range(0, a.shape[1], TPB):
        left[ty * TPB + tx] = a[row, start + tx] if row < a.shape[0] and start + tx < a.shape[1] else 0
        right[ty * TPB + tx] = b[start + ty, column] if start + ty < b.shape[0] and column < b.shape[1] else 0
        square[ty, tx] = right[ty * TPB + tx]
        cuda.syncthreads()
        total += dot(left[ty * TPB : (ty + 1) * TPB], square, tx, TPB)
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


MATRICES = "(float32[:, ::1], float32[:, ::1], float32[:, ::1])"
tiled_16 = make_tiled(16, cuda.int32)
tiled_32 = make_tiled(32, cuda.float64)
PTX = [
    (matmul, MATRICES),
    (fast_matmul, MATRICES),
    (fast_matmul, "(float32[:, :], float32[:, :], float32[:, :])"),
    (tiled_16, "(int32[:, ::1], int32[:, ::1], int32[:, ::1])"),
    (tiled_32, "(float64[:, ::1], float64[::1, :], float64[:, ::1])"),
    (coarsened_matmul, MATRICES),
    (sliced_matmul, MATRICES),
    (dynamic_matmul, "(float32[:, ::1], float32[:, ::1], float32[:, ::1], int64)"),
]


def make_matrices(shape, dtype=np.float32):
    """Small integers, whose products are exact when summed in float32 in any order."""
    rows, inner, columns = shape
    rng = np.random.default_rng(rows + inner + columns)
    a, b = rng.integers(-8, 8, (rows, inner)), rng.integers(-8, 8, (inner, columns))
    return a.astype(dtype), b.astype(dtype), np.full((rows, columns), 99, dtype)


def grid_of(c, width, height):
    return -(-c.shape[1] // width), -(-c.shape[0] // height)


@pytest.mark.parametrize("block", [(16, 16), (32, 8), (5, 7)])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_tiles(shape, block):
    a, b, c = make_matrices(shape)
    grid = -(-c.shape[0] // block[0]), -(-c.shape[1] // block[1])
    matmul[grid, block](a, b, c)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("shape", SHAPES)
def test_documented_tiles(shape):
    a, b, c = make_matrices(shape)
    fast_matmul[grid_of(c, TPB, TPB), (TPB, TPB)](a, b, c)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("shape", SHAPES)
def test_tiles_of_16_integers(shape):
    a, b, c = make_matrices(shape, np.int32)
    tiled_16[grid_of(c, 16, 16), (16, 16)](a, b, c)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("shape", SHAPES)
def test_tiles_of_32_doubles(shape):
    a, b, c = make_matrices(shape, np.float64)
    tiled_32[grid_of(c, 32, 32), (32, 32)](a, np.asfortranarray(b), c)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("shape", SHAPES)
def test_four_rows_a_thread(shape):
    a, b, c = make_matrices(shape)
    coarsened_matmul[grid_of(c, 32, 32), (32, 8)](a, b, c)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("tile", [4, 8, 12, 24])
def test_tile_size_chosen_at_the_launch(tile):
    a, b, c = make_matrices((33, 20, 50))
    dynamic_matmul[grid_of(c, tile, tile), (tile, tile), 0, 2 * 4 * tile * tile](a, b, c, tile)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("shape", SHAPES)
def test_slices_of_shared_memory(shape):
    a, b, c = make_matrices(shape)
    sliced_matmul[grid_of(c, TPB, TPB), (TPB, TPB), 0, 2 * 4 * TPB * TPB](a, b, c)
    np.testing.assert_array_equal(c, a @ b)


def test_transposed_and_cut_out_views():
    rng = np.random.default_rng(1)
    store = rng.integers(-8, 8, (90, 80)).astype(np.float32)
    a, b, c = store.T[3:40, ::2], store[5:50, 1:22], np.zeros((37, 42), np.float32)[:, ::2]
    fast_matmul[grid_of(c, TPB, TPB), (TPB, TPB)](a, b, c)
    np.testing.assert_array_equal(c, a @ b)


def test_rounding_stays_near_numpy():
    rng = np.random.default_rng(2)
    a, b = rng.random((100, 200), dtype=np.float32), rng.random((200, 60), dtype=np.float32)
    c = np.empty((100, 60), np.float32)
    coarsened_matmul[grid_of(c, 32, 32), (32, 8)](a, b, c)
    np.testing.assert_allclose(c, a.astype(float) @ b, rtol=1e-5)
