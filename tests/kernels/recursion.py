# A device function that calls itself.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit
def table(out):
    i = cuda.grid(1)
    if i < out.size and i % 3 != 1:
        out[i] = fibonacci(i)


PTX = [(table, "(int64[::1])")]


def run():
    check(table, 1, 32, np.zeros(15, np.int64))
