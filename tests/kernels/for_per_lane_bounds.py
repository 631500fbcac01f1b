# Nested loops whose bounds depend on the lane; some lanes execute no iteration.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def triangle(n, out):
    i = cuda.grid(1)
    total = 0
    for j in range(i - 3, i % 7):
        for k in range(j, 5):
            total += j * k + 1
    if i < n:
        out[i] = total


PTX = [(triangle, "(int64, int64[::1])")]


def run():
    check(triangle, 2, 48, 90, np.zeros(90, np.int64))
