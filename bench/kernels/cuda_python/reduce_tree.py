# A sum in CUDA Python: a tree in the shared memory of blocks of 256, then one atomic addition per block.
from treadle import cuda, float32

TILE = 256


@cuda.jit
def reduce_tree(values, total):
    tile = cuda.shared.array(TILE, float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[thread] = values[i] if i < values.size else float32(0.0)
    cuda.syncthreads()
    step = TILE // 2
    while step > 0:
        if thread < step:
            tile[thread] += tile[thread + step]
        cuda.syncthreads()
        step //= 2
    if thread == 0:
        cuda.atomic.add(total, 0, tile[0])
