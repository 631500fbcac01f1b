# An inclusive scan in CUDA Python: tiles of 2048, then the sums of the tiles, then their addition.
import numpy as np
from treadle import cuda, int32

BLOCK = 256
ITEMS = 8
TILE = 2048


@cuda.jit
def scan_tiles(values, out, sums):
    tile = cuda.shared.array(TILE, int32)
    totals = cuda.shared.array(BLOCK, int32)
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * TILE
    for k in range(ITEMS):
        i = first + k * BLOCK + thread
        tile[k * BLOCK + thread] = values[i] if i < values.size else int32(0)
    cuda.syncthreads()
    total = int32(0)
    for k in range(ITEMS):
        total = int32(total + tile[thread * ITEMS + k])
        tile[thread * ITEMS + k] = total
    totals[thread] = total
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        below = totals[thread - step] if thread >= step else int32(0)
        cuda.syncthreads()
        totals[thread] += below
        cuda.syncthreads()
        step *= 2
    before = int32(totals[thread] - total)
    for k in range(ITEMS):
        tile[thread * ITEMS + k] += before
    cuda.syncthreads()
    for k in range(ITEMS):
        i = first + k * BLOCK + thread
        if i < out.size:
            out[i] = tile[k * BLOCK + thread]
    if thread == BLOCK - 1:
        sums[cuda.blockIdx.x] = totals[thread]


@cuda.jit
def add_sums(out, sums):
    first = (cuda.blockIdx.x + 1) * TILE
    for k in range(ITEMS):
        i = first + k * BLOCK + cuda.threadIdx.x
        if i < out.size:
            out[i] += sums[cuda.blockIdx.x]


def scan(values, out):
    tiles = (values.size + TILE - 1) // TILE
    sums = np.empty(tiles, np.int32)
    scan_tiles[tiles, BLOCK](values, out, sums)
    if tiles > 1:
        before = np.empty(tiles, np.int32)
        scan(sums, before)
        add_sums[tiles - 1, BLOCK](out, before)
