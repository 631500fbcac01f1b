# A plain @cuda.jit function serves as a helper of another.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def bump(out, i):
    if i >= out.size:
        return
    out[i] += 5


@cuda.jit
def main(out):
    i = cuda.grid(1)
    bump(out, i)
    if i % 2 == 0:
        bump(out, i)


PTX = [(main, "(int64[::1])")]


def run():
    check(main, 2, 32, np.arange(50))
