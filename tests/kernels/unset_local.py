# A local variable that is unset on some path compiles; its value there is undefined and never used.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit(device=True)
def select(condition, a, b):
    return a if condition else b


@cuda.jit
def sometimes(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if x[i] > 3:
            bonus = x[i] * 2
        out[i] = select(x[i] > 3, bonus, -1)


PTX = [(sometimes, "(int64[::1], int64[::1])")]


def run():
    x = np.arange(40) % 8
    _, out = launch(sometimes, 2, 32, x, np.zeros_like(x))
    np.testing.assert_array_equal(out, np.where(x > 3, 2 * x, -1))
