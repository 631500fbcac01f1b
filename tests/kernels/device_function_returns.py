# Several returns in a device function, called under a mask: each calling lane gets its own value.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit(device=True)
def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@cuda.jit(device=True)
def first_divisor(n):
    for d in range(2, n):
        if n % d == 0:
            return d
        if d * d > n:
            break
    return n


@cuda.jit
def apply(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if x[i] % 2 == 0:
            out[i] = sign(x[i]) * 10
        else:
            out[i] = first_divisor(abs(x[i])) + sign(x[i] - 5)


PTX = [(apply, "(int64[::1], int64[::1])")]


def run():
    x = np.arange(-40, 41)
    check(apply, 3, 32, x, np.zeros_like(x))
