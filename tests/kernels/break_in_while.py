# Lanes that break out of a while loop stay out, whatever the others do.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def search(x, out):
    i = cuda.grid(1)
    if i < x.size:
        k = 0
        hits = 0
        while k < 30:
            k += 1
            if x[i] * k % 7 == 3:
                hits += 100
                break
            hits += 1
        out[i] = hits * 1000 + k


PTX = [(search, "(int64[::1], int64[::1])")]


def run():
    x = np.arange(70)
    check(search, 3, 32, x, np.zeros_like(x))
