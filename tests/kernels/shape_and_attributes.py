# shape, strides, size, ndim and len of an array; all of them 64-bit integers.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def describe(a, out):
    if cuda.grid(1) == 0:
        out[0] = a.ndim
        out[1] = a.size
        out[2] = len(a)
        rows, columns = a.shape
        out[3], out[4] = rows, columns
        out[5], out[6] = a.strides
        out[7] = a.shape[-1]
        out[8] = a.strides[0] // a.itemsize
        out[9] = a.nbytes


PTX = [(describe, "(float32[:, :], int64[::1])"), (describe, "(float32[:, ::1], int64[::1])")]


def run():
    base = np.zeros((6, 10), np.float32)
    for a in (base, base[::2, ::-1], base.T, np.broadcast_to(base[0], (4, 10)), base[:0]):
        _, out = launch(describe, 1, 1, a, np.full(10, -1))
        stride = a.strides[0] // 4
        assert out.tolist() == [2, a.size, len(a), *a.shape, *a.strides, a.shape[1], stride, a.size * 4]
