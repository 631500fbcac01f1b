# Zero-dimensional arrays: one element, indexed by the empty tuple.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def double(x, out):
    if cuda.grid(1) == 0:
        out[()] = 2 * x[()] + x.ndim + x.size


PTX = []


def run():
    _, out = launch(double, 1, 32, np.array(3.5), np.array(0.0))
    assert out[()] == 8.0
