# A sum in CUDA Python: warps of 32 by shuffles, the warps of a block of 256 by its first, then one atomic addition.
from treadle import cuda, float32

WARPS = 8


@cuda.jit
def reduce_shuffle(values, total):
    partial = cuda.shared.array(WARPS, float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    value = values[i] if i < values.size else float32(0.0)
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if thread % 32 == 0:
        partial[thread // 32] = value
    cuda.syncthreads()
    if thread < 32:
        value = partial[thread] if thread < WARPS else float32(0.0)
        offset = WARPS // 2
        while offset > 0:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
            offset //= 2
        if thread == 0:
            cuda.atomic.add(total, 0, value)
