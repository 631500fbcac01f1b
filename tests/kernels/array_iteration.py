# for loops over an array, a tuple and a tuple display.
import numpy as np
from treadle import cuda

from kernels.harness import check

STEPS = (1, 10, 100)


@cuda.jit
def iterate(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        for x in a:
            if x == i:
                continue
            total += x
        for s in STEPS:
            total += s * i
        for row in b:
            total += row[i % 2]
        for p in (i, i + 1, 7):
            total += p * p
            if p > 20:
                break
        else:
            total += 1000000
        out[i] = total


PTX = [(iterate, "(int64[::1], int64[:, ::1], int64[::1])")]


def run():
    check(iterate, 1, 40, np.arange(10), np.arange(8).reshape(4, 2), np.zeros(40, np.int64))
