# break and continue in the else clause of a loop apply to the enclosing loop.
import numpy as np
from treadle import cuda, int64

from kernels.harness import check


@cuda.jit
def walk(x, out):
    i = cuda.grid(1)
    total = 0
    for a in range(5):
        for b in range(x[i] % 4):
            if b * a == 2:
                break
        else:
            if (i + a) % 3 == 0:
                continue
            total += 10
        k = 0
        while k < i % 3:
            k += 1
        else:
            if (i + a) % 7 == 5:
                break
            total += 100
        total += 1000
    out[i] = total


@cuda.jit
def between_barriers(x, out):
    shared = cuda.shared.array(48, int64)
    t = cuda.threadIdx.x
    total = x[t]
    for turn in range(6):
        shared[t] = total
        cuda.syncthreads()
        total += shared[(t + 1) % 48]
        cuda.syncthreads()
        for k in range(turn):
            if k == 2:
                break
            total += k * (t % 3)
        else:
            if turn == 1:
                continue
            total += 7
        cuda.syncthreads()
        for k in range(2):
            total += 1
        else:
            if turn == 4:
                break
        cuda.syncthreads()
    out[t] = total


@cuda.jit
def never_exhausted(x, out):
    # No path reaches the else clauses: each item of two types, and each turn, leaves its loop.
    i = cuda.grid(1)
    first = x[i]
    total = 0
    for item in (1, 2.5):
        while total < 3:
            total += 1
        else:
            total += int64(item)
            break
    else:
        for turn in range(first):
            total += turn
    while True:
        total += first
        if total > 9:
            break
    else:
        total += first * 1000
    out[i] = total


PTX = [(kernel, "(int64[::1], int64[::1])") for kernel in (walk, between_barriers, never_exhausted)]


def run():
    check(walk, 2, 48, np.arange(96) * 7 % 11, np.zeros(96, np.int64))
    check(between_barriers, 1, 48, np.arange(48), np.zeros(48, np.int64))
    check(never_exhausted, 2, 48, np.arange(1, 97), np.zeros(96, np.int64))
