# A transpose in CUDA Python: tiles of 32x32, padded against bank conflicts, by blocks of (32, 8).
from treadle import cuda, float32

TILE = 32
PADDED = 33
ROWS = 8


@cuda.jit
def transpose(source, target):
    tile = cuda.shared.array((TILE, PADDED), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    for k in range(0, TILE, ROWS):
        if x < source.shape[1] and y + k < source.shape[0]:
            tile[ty + k, tx] = source[y + k, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TILE + tx
    y = cuda.blockIdx.x * TILE + ty
    for k in range(0, TILE, ROWS):
        if x < target.shape[1] and y + k < target.shape[0]:
            target[y + k, x] = tile[tx, ty + k]
