# A histogram of bytes in CUDA Python: blocks of 256 count in shared memory and then add to the total.
from treadle import cuda, int32

BINS = 256


@cuda.jit
def histogram(values, counts):
    own = cuda.shared.array(BINS, int32)
    thread = cuda.threadIdx.x
    own[thread] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, values[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, thread, own[thread])
