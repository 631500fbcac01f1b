# Device functions with defaults and keyword arguments.
import numpy as np
from treadle import cuda

from kernels.harness import check

LIMIT = 5


@cuda.jit(device=True)
def clamp(x, low=0, high=LIMIT):
    return min(max(x, low), high)


@cuda.jit(device=True)
def mix(a, b, weight=0.5):
    return a * weight + b * (1 - weight)


@cuda.jit
def apply(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = clamp(x[i]) + 10 * clamp(x[i], high=3) + 100 * clamp(high=9, x=x[i], low=2)
        out[i] += mix(b=4.0, a=x[i]) + mix(1.0, 2.0, 0.25)


PTX = [(apply, "(int64[::1], float64[::1])")]


def run():
    check(apply, 1, 32, np.arange(-5, 15), np.zeros(20))
