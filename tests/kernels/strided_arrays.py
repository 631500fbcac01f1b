# Views with steps, transposed and broadcast, as arguments.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def combine(a, b, out):
    x, y = cuda.grid(2)
    if x < out.shape[0] and y < out.shape[1]:
        out[x, y] = 2 * a[x, y] + b[x, y]


PTX = [
    (combine, "(float32[:, :], float32[:, :], float32[:, :])"),
    (combine, "(float32[:, ::1], float32[::1, :], float32[:, ::1])"),
]


def run():
    base = np.arange(40 * 60, dtype=np.float32).reshape(40, 60)
    views = [base[::2, ::3], base.T[::3, ::2].T, base[5:25, 7:27], base[:20, :20].T[:20, :20]]
    for a in views:
        out = np.zeros((a.shape[0], 2 * a.shape[1]), np.float32)[:, ::2]
        check(combine, (2, 2), (16, 16), a, np.broadcast_to(base[0, : a.shape[1]], a.shape), out)
