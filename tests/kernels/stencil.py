# Five-point stencil: neighbours in both directions, borders unchanged.
import numpy as np
from treadle import cuda

from kernels.harness import ALL_TARGETS, launch


@cuda.jit
def relax(u, v):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    elif i < u.shape[0] and j < u.shape[1]:
        v[i, j] = u[i, j]


PTX = [(relax, "(float64[:, ::1], float64[:, ::1])")]
TARGETS = ALL_TARGETS


def run():
    u = np.random.default_rng(2).integers(0, 64, (37, 45)).astype(float)
    want = u.copy()
    want[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    for block in ((8, 8), (32, 8), (5, 7), (1, 33)):
        grid = -(-37 // block[0]), -(-45 // block[1])
        _, v = launch(relax, grid, block, u, np.zeros_like(u))
        np.testing.assert_array_equal(v, want)
