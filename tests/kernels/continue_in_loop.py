# `continue` skips the rest of one iteration only, and only for the lanes that execute it.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def sums(x, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        k = 0
        while k < 20:
            k += 1
            if (k + i) % 3 == 0:
                continue
            total += x[k]
            if total % 2 == 1:
                continue
            total += 1000
        out[i] = total


@cuda.jit(device=True)
def counted(seen, first):
    k = first
    while k < 3:
        k += 1
        if k == seen[0] % 5:
            continue
    seen[0] += first + 1
    return seen[0]


@cuda.jit
def tests_with_loops(seen, out):
    # The lanes that continued are in the loop of the function that the next test calls.
    i = cuda.grid(1)
    k = 0
    while k < 5 and counted(seen[i], i % 3) < 40:
        k += 1
        if (k + i) % 4 != 0:
            continue
        out[i] += k
    out[i] += 100 * k


PTX = [(sums, "(int64[::1], int64[::1])"), (tests_with_loops, "(int64[:, ::1], int64[::1])")]


def run():
    check(sums, 2, 33, np.arange(21) ** 2, np.zeros(60, np.int64))
    check(tests_with_loops, 2, 33, np.arange(132).reshape(66, 2) % 29, np.zeros(66, np.int64))
