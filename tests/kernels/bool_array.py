# Arrays of bool: loads, stores, and the truth values of numbers.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def flags(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i, 0] = a[i] and not b[i]
        out[i, 1] = a[i] or b[i]
        out[i, 2] = a[i] == b[i]
        out[i, 3] = a[i] & b[i]
        out[i, 4] = a[i] ^ True
        if a[i]:
            out[i, 5] = i


PTX = [(flags, "(boolean[::1], boolean[::1], boolean[:, ::1])")]


def run():
    a, b = np.arange(40) % 2 == 0, np.arange(40) % 3 == 0
    check(flags, 2, 32, a, b, np.zeros((40, 6), bool))
