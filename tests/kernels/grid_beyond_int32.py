# Indices of a grid of more than 2^31 threads, computed explicitly: values that the program narrows to 32 bits wrap.
import numpy as np
from treadle import cuda, int32, int64


@cuda.jit
def signs(out):
    start = cuda.blockIdx.x * int64(cuda.blockDim.x)
    if int32(start) + cuda.threadIdx.x < 0:
        out[0] = 1
    if start + cuda.threadIdx.x < 0:
        out[1] = 1


PTX = [(signs, "(int64[::1],)")]


def run():
    out = np.zeros(2, np.int64)
    signs[2**21 + 8, 1024](out)
    assert out.tolist() == [1, 0]
