# Lambdas and nested functions as device functions.
import numpy as np
from treadle import cuda

from kernels.harness import check

square = cuda.jit(device=True)(lambda x: x * x)
pair = cuda.jit(lambda x, y: (x + y, x - y), device=True)


def make(shift):
    @cuda.jit(device=True)
    def shifted(x):
        return square(x) + shift

    @cuda.jit
    def kernel(x, out):
        def local(v, w=2):
            return v * w + shift

        i = cuda.grid(1)
        if i < x.size:
            s, d = pair(x[i], 3)
            out[i] = shifted(s) * 1000 + d + local(i) + local(i, 5)

    return kernel


KERNEL = make(7)
PTX = [(KERNEL, "(int64[::1], int64[::1])")]


def run():
    check(KERNEL, 2, 32, np.arange(40), np.zeros(40, np.int64))
