# Products of matrices in tiles whose shapes come from globals, closures, defaults, and from the launch.
import numpy as np
from treadle import cuda, float32

TPB = 8
TILE = (TPB, TPB)
(ROWS, COLUMNS) = TILE


@cuda.jit
def by_globals(A, B, C):
    sA = cuda.shared.array(shape=(TPB, TPB), dtype=A.dtype)
    sB = cuda.shared.array(TILE, B.dtype)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = A.dtype.type(0)
    for k in range((A.shape[1] + TPB - 1) // TPB):
        sA[tx, ty] = A[x, ty + k * TPB] if x < A.shape[0] and ty + k * TPB < A.shape[1] else 0
        sB[tx, ty] = B[tx + k * TPB, y] if y < B.shape[1] and tx + k * TPB < B.shape[0] else 0
        cuda.syncthreads()
        for j in range(TPB):
            total += sA[tx, j] * sB[j, ty]
        cuda.syncthreads()
    if x < C.shape[0] and y < C.shape[1]:
        C[x, y] = total


def by_closure(tile, threads):
    rows = tile

    @cuda.jit
    def kernel(A, B, C):
        sA = cuda.shared.array((rows, tile), A.dtype)
        both = cuda.shared.array(shape=(2 * rows * tile), dtype=float32)
        dynamic = cuda.shared.array(shape=0, dtype=B.dtype)
        sB = dynamic[: tile * tile].reshape((tile, tile))
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        both[(tx * tile + ty) * 2 : (tx * tile + ty) * 2 + 2] = 0
        for k in range(0, A.shape[1], tile):
            sA[tx, ty] = A[x, ty + k] if x < A.shape[0] and ty + k < A.shape[1] else 0
            sB[tx, ty] = B[tx + k, y] if y < B.shape[1] and tx + k < B.shape[0] else 0
            cuda.syncthreads()
            both[(tx * tile + ty) * 2] += np.sum(sA[tx] * sB[:, ty])
            cuda.syncthreads()
        if x < C.shape[0] and y < C.shape[1]:
            C[x, y] = both[(tx * tile + ty) * 2]

    return kernel[((21 + tile - 1) // tile, (13 + tile - 1) // tile), threads, 0, tile * tile * 8]


rng = np.random.default_rng(4)
for dtype in (np.int32, np.float16, np.float64):
    A, B = rng.integers(-3, 4, (21, 10)).astype(dtype), rng.integers(-3, 4, (10, 13)).astype(dtype)
    expected = A.astype(int) @ B.astype(int)
    C = cuda.device_array((21, 13), dtype)
    by_globals[(3, 2), TILE](cuda.to_device(A), B, C)
    np.testing.assert_array_equal(C.copy_to_host(), expected)
    for tile in (4, 5):
        C = np.zeros((21, 13), np.float32)
        by_closure(tile, (tile, tile))(A, B, C)
        np.testing.assert_array_equal(C, expected)
