# Matrix product in CUDA Python: 16x16 tiles in shared memory, guarded.
from treadle import cuda, float32

TILE = 16


@cuda.jit
def matmul(a, b, c):
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
