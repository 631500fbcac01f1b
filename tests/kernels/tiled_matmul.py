# Matrix product through shared memory: two barriers in a loop with a uniform trip count.
import numpy as np
from treadle import cuda, float32

from kernels.harness import ALL_TARGETS, launch

TILE = 16


@cuda.jit
def matmul(a, b, c):
    # CHECK-PTX: .shared .align
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array(shape=(TILE, TILE), dtype=float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for tile in range((a.shape[1] + TILE - 1) // TILE):
        k = tile * TILE
        left[y, x] = a[row, k + x] if row < a.shape[0] and k + x < a.shape[1] else 0
        right[y, x] = b[k + y, column] if k + y < b.shape[0] and column < b.shape[1] else 0
        # CHECK-PTX: st.shared.f32
        # CHECK-PTX: bar.sync
        cuda.syncthreads()
        for j in range(TILE):
            # CHECK-PTX: ld.shared
            total += left[y, j] * right[j, x]
        # CHECK-PTX: bar.sync
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


PTX = [(matmul, "(float32[:, ::1], float32[:, ::1], float32[:, ::1])")]
TARGETS = ALL_TARGETS


def run():
    rng = np.random.default_rng(5)
    for m, k, n in ((16, 16, 16), (33, 20, 50), (1, 100, 1)):
        a, b = rng.integers(-8, 8, (m, k)).astype(np.float32), rng.integers(-8, 8, (k, n)).astype(np.float32)
        grid = -(-n // TILE), -(-m // TILE)
        *_, c = launch(matmul, grid, (TILE, TILE), a, b, np.zeros((m, n), np.float32))
        np.testing.assert_array_equal(c, a @ b)
