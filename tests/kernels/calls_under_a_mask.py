# A device function that writes, called from nested branches and loops: only the active lanes write.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def push(stack, base, depth, value):
    if depth < 4:
        stack[base, depth] = value
        return depth + 1
    return depth


@cuda.jit
def digits(x, stack, counts):
    i = cuda.grid(1)
    if i < x.size:
        depth = 0
        v = x[i]
        while v > 0:
            if v % 10 != 0:
                depth = push(stack, i, depth, v % 10)
            v //= 10
        counts[i] = depth


PTX = [(digits, "(int64[::1], int64[:, ::1], int64[::1])")]


def run():
    x = np.arange(70) ** 3
    check(digits, 3, 32, x, np.full((70, 4), -1), np.zeros(70, np.int64))
