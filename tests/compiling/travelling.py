"""Kernels that test_travel.py sends to other processes, which do not see this file."""

import math

import numpy as np
from treadle import cuda, float32, void
from treadle.cuda import shared

SCALE = 3
TABLE = np.arange(4, dtype=np.float32)


@cuda.jit(device=True)
def root(x):
    return math.sqrt(x) * SCALE


@cuda.jit
def globals_and_helpers(a, extra=2):
    tile = shared.array(4, float32)
    i = cuda.grid(1)
    tile[cuda.threadIdx.x] = TABLE[i % 4]
    cuda.syncthreads()
    if i < a.size:
        a[i] = root(a[i]) + extra + tile[cuda.threadIdx.x]


@cuda.jit(device=True)
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@cuda.jit(void(float32[:]))
def with_signature(a):
    a[0] = factorial(4)


def closure_of(value, function):
    @cuda.jit
    def inner(a):
        a[0] = function(value)

    return inner


one_line = cuda.jit(lambda a: None)
several_lines = cuda.jit(
    lambda a:
        None
)  # fmt: skip


@cuda.jit(rules="cuda-python", fastmath=True, launch_bounds=64)
def with_options(a):
    a[0] = a[0] + 1


def looking_up():
    """A kernel whose device function reads a table, and that table."""
    table = np.arange(3.0)

    @cuda.jit(device=True)
    def entry(i):
        return table[i]

    @cuda.jit
    def look_up(out):
        out[0] = entry(1)

    return look_up, table
