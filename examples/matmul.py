# Matrix product tiled through shared memory, with the guards that let any shapes work.
import numpy as np
from treadle import cuda, float32

TILE = 16


@cuda.jit
def matmul_kernel(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    inner = a.shape[1]
    total = float32(0.0)
    for start in range(0, inner, TILE):
        tile_a[ty, tx] = float32(0.0)
        tile_b[ty, tx] = float32(0.0)
        if row < a.shape[0] and start + tx < inner:
            tile_a[ty, tx] = a[row, start + tx]
        if start + ty < inner and column < b.shape[1]:
            tile_b[ty, tx] = b[start + ty, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def matmul(a, b):
    """The float32 product of two 2-d float32 arrays."""
    c = np.empty((a.shape[0], b.shape[1]), np.float32)
    grid = ((c.shape[1] + TILE - 1) // TILE, (c.shape[0] + TILE - 1) // TILE)
    matmul_kernel[grid, (TILE, TILE)](a, b, c)
    return c


def matmul_numpy(a, b):
    return a @ b


def make_matrices(size=512, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((size, size), dtype=np.float32), rng.random((size, size), dtype=np.float32)


def main():
    a, b = make_matrices()
    error = np.abs(matmul(a, b) / matmul_numpy(a, b) - 1).max()
    print(f"{a.shape} times {b.shape}: largest relative difference from NumPy {error:.1e}")


if __name__ == "__main__":
    main()
