# Lanes that return early leave the rest of the kernel to the others.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def early(x, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    out[i] = 1
    if x[i] < 0:
        return
    out[i] = 2
    for k in range(x[i]):
        if k == 5:
            out[i] = 50
            return
        out[i] += 10
    if x[i] == 3:
        return
    out[i] += 1000


PTX = [(early, "(int64[::1], int64[::1])")]


def run():
    x = np.arange(70) % 11 - 3
    check(early, 3, 32, x, np.zeros_like(x))
