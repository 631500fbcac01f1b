# Tuples as small vectors, passed to and returned from device functions, indexed by literals and at run time.
import numpy as np
from treadle import cuda

from kernels.harness import check

AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
WEIGHTS = (3, 1, 4, 1, 5)


@cuda.jit(device=True)
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@cuda.jit(device=True)
def scale(v, factor):
    x, y, z = v
    return x * factor, y * factor, z * factor


@cuda.jit
def move(start, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        position = (start[i, 0], start[i, 1], start[i, 2])
        position = add(position, scale(AXES[1], 10))
        position = add(position, scale((1.5, 2.5, 3.5), i))
        out[i, 0] = position[0]
        out[i, 1] = position[-2]
        out[i, 2] = position[2] + WEIGHTS[i % 5] + len(position)


PTX = [(move, "(float64[:, ::1], float64[:, ::1])")]


def run():
    check(move, 2, 32, np.arange(150.0).reshape(50, 3), np.zeros((50, 3)))
