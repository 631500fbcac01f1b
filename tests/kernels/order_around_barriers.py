# Operands are evaluated in Python's order when some of them contain barriers.
import numpy as np
from treadle import cuda, int64

from kernels.harness import check


@cuda.jit(device=True)
def tick(c, i):
    cuda.syncthreads()
    c[i] += 1
    return c[i]


@cuda.jit
def value_before_index(c, out):
    i = cuda.threadIdx.x
    out[i, tick(c, i)] = tick(c, i)


@cuda.jit
def operands_of_one_call(c, out):
    i = cuda.threadIdx.x
    cuda.atomic.add(out, (i, tick(c, i)), c[i] + tick(c, i))
    out[i, 0] = max(c[i] * 7, tick(c, i), c[i])


@cuda.jit(device=True)
def moved(where, i):
    if i == 33:
        where[0] = 1
    cuda.syncthreads()
    return i


@cuda.jit
def index_read_behind_the_barrier_in_the_value(c, out):
    i = cuda.threadIdx.x
    where = cuda.shared.array(1, int64)
    if i == 0:
        where[0] = 0
    cuda.syncthreads()
    out[i, where[0]] = moved(where, i)


KERNELS = [value_before_index, operands_of_one_call, index_read_behind_the_barrier_in_the_value]
PTX = [(kernel, "(int64[::1], int64[:, ::1])") for kernel in KERNELS]


def run():
    for kernel in KERNELS:
        for count in (1, 40, 64):
            check(kernel, 1, count, np.zeros(count, np.int64), np.zeros((count, 4), np.int64))
