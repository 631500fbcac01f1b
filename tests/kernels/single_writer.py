# One lane of a warp writes to an element whose index all lanes share: its value is stored, not another lane's.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def pick(x, out):
    i = cuda.grid(1)
    if i % 32 == 7:
        out[0, i // 32] = x[i]
    if x[i] == 11:
        out[1, 0] = i
    if cuda.threadIdx.x == 3:
        out[2, cuda.blockIdx.x] = x[i] + 0.5


PTX = [(pick, "(float64[::1], float64[:, ::1])")]


def run():
    check(pick, 2, 64, np.arange(128.0) * 3 % 128, np.zeros((3, 4)))
