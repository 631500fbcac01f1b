# break and continue of an inner loop leave the outer one alone.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def walk(out):
    i = cuda.grid(1)
    total = 0
    for a in range(6):
        if a == i % 4:
            continue
        for b in range(8):
            if b > a + i % 3:
                break
            if (a + b) % 2 == i % 2:
                continue
            total += a * 10 + b
        else:
            total += 100000
        if total > 500 + i:
            break
        total += 1000
    out[i] = total


PTX = [(walk, "(int64[::1])")]


def run():
    check(walk, 2, 32, np.zeros(64, np.int64))
