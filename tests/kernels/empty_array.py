# Arrays without elements: nothing is read or written, sizes are 0.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def sizes(x, y, out):
    i = cuda.grid(1)
    total = 0
    for k in range(x.size):
        total += x[k]
    if i < x.size:
        x[i] = 1
    if i == 0:
        out[0] = total + x.shape[0] + y.size
        out[1] = y.shape[0] + 10 * y.shape[1]


PTX = [(sizes, "(int64[::1], float32[:, ::1], int64[::1])")]


def run():
    *_, out = launch(sizes, 2, 32, np.zeros(0, np.int64), np.zeros((3, 0), np.float32), np.full(2, -1))
    assert out.tolist() == [0, 3]
