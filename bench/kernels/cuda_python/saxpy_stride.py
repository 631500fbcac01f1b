# saxpy in CUDA Python: a grid-stride loop.
from treadle import cuda


@cuda.jit
def saxpy_stride(a, x, y, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = a * x[i] + y[i]
