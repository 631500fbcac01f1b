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


ROW = np.dtype([("a", np.int32), ("m", np.float64, (2, 4)), ("c", np.complex64)])


@cuda.jit
def describe_own(out, first):
    own = cuda.local.array((2, 3), np.float32)
    out[0], out[1] = own.strides
    out[2], out[3] = own.T.strides
    out[4], out[5] = own[:, ::-1].strides
    (out[6],) = own[first, first:].strides
    out[7] = own.nbytes
    rows = cuda.local.array(3, ROW)
    out[8] = rows.strides[0]
    out[9], out[10], out[11] = rows.m.strides
    out[12], out[13] = rows[1].m.strides
    out[14] = rows.c.real.strides[0]
    (out[15],) = rows[::-2].a.strides
    shared = cuda.shared.array((2, 3), np.float32)
    out[16], out[17] = shared.strides


PTX = [
    (describe, "(float32[:, :], int64[::1])"),
    (describe, "(float32[:, ::1], int64[::1])"),
    (describe_own, "(int64[::1], int64)"),
]


def run():
    base = np.zeros((6, 10), np.float32)
    for a in (base, base[::2, ::-1], base.T, np.broadcast_to(base[0], (4, 10)), base[:0]):
        _, out = launch(describe, 1, 1, a, np.full(10, -1))
        stride = a.strides[0] // 4
        assert out.tolist() == [2, a.size, len(a), *a.shape, *a.strides, a.shape[1], stride, a.size * 4]
    own, rows = np.zeros((2, 3), np.float32), np.zeros(3, ROW)
    views = [own, own.T, own[:, ::-1], own[0, 0:]]
    strides = [s for a in views for s in a.strides]
    more = [s for a in (rows, rows["m"], rows["m"][1], rows["c"].real, rows[::-2]["a"], own) for s in a.strides]
    for block in (1, 64, (8, 4)):
        out, _ = launch(describe_own, 1, block, np.zeros(18, np.int64), 0)
        assert out.tolist() == [*strides, own.nbytes, *more]
