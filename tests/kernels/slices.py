# Slices, `...`, new axes: NumPy's clamping, writable views, views of views, of shared and captured arrays.
import itertools

import numpy as np
from treadle import cuda, float32

from kernels.harness import launch

TABLE = np.arange(20, dtype=np.float64) / 4
BOUNDS = (None, 0, 1, 4, 9, 10, 11, 100, -1, -4, -10, -11, -100)
STEPS = (None, 1, 2, 3, 10, 11, -1, -2, -3, -10, -11)


@cuda.jit
def cut(x, start, stop, step, out):
    view = x[start:stop:step]
    out[0] = view.size
    out[1] = view.strides[0]
    for i in range(view.size):
        out[2 + i] = view[i]


@cuda.jit
def axes(x, out):
    i = cuda.threadIdx.x
    out[i, 0] = x[..., 1][i, 0]
    out[i, 1] = x[:, -1, :][i][2]
    out[i, 2] = x[i][1:, ::2][-1, 1]
    out[i, 3] = x[np.newaxis, i, 0][0, 3]
    out[i, 4] = x[1:3, None, ..., -1].shape[1] * 100 + x[1:3, None, ..., -1].ndim
    out[i, 5] = x.T[-1][1:][1, i]


@cuda.jit
def stores(x, y):
    x[0] = 5
    x[1, ...] = y[0]
    x[2:4, 1] = y[:, 0]
    x[:, np.newaxis][4][0] = 3
    x[..., 2] = 9
    x[5] = x[0, ::-1]


@cuda.jit
def shared_parts(out):
    both = cuda.shared.array(0, float32)
    left, right = both[1:3], both[3:6]
    if cuda.threadIdx.x == 0:
        left[1] = 5
        right[0] = 6
    cuda.syncthreads()
    out[cuda.threadIdx.x] = both[2] * 100 + both[3] * 10 + right.size + left.shape[0]


@cuda.jit
def constants(out):
    table = cuda.const.array_like(TABLE)
    for k, value in enumerate(table[4:8], 2):
        out[k] += value + k
    for a, b in zip(table[::-1], TABLE):
        out[0] += a * b


PTX = [
    (cut, "(float64[::1], int64, int64, int64, float64[::1])"),
    (axes, "(int64[:, :, ::1], int64[:, ::1])"),
    (stores, "(float64[:, ::1], float64[:, ::1])"),
    (shared_parts, "(float32[::1],)"),
    (constants, "(float64[::1],)"),
]


def run():
    x = np.arange(10.0)
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, STEPS):
        out = np.zeros(12)
        cut[1, 1](x, start, stop, step, out)
        expected = x[start:stop:step]
        assert out[0] == expected.size, (start, stop, step)
        assert out[2 : 2 + expected.size].tolist() == expected.tolist(), (start, stop, step)
        assert expected.size == 0 or out[1] == 8 * (step or 1)
    y = np.arange(4 * 3 * 5).reshape(4, 3, 5)
    out = np.zeros((4, 6), np.int64)
    axes[1, 4](y, out)
    row = np.arange(4)
    wanted = [y[:, 0, 1], y[:, -1, 2], y[:, -1, 2], y[:, 0, 3], np.full(4, 103), y.T[-1][2]]
    assert out.tolist() == np.stack(wanted, axis=1)[row].tolist()
    found, values = np.zeros((6, 4)), np.arange(8.0).reshape(2, 4)
    expected = found.copy()
    stores[1, 1](found, values)
    stores.py_func(expected, values)
    assert found.tolist() == expected.tolist()
    (out,) = launch(shared_parts, 1, 40, np.zeros(40, np.float32), shared=40)
    assert out.tolist() == [100 * 5 + 10 * 6 + 3 + 2] * 40
    out = np.zeros(6)
    constants[1, 1](out)
    wanted = [float((TABLE[::-1] * TABLE).sum()), 0.0, *(TABLE[4:8] + np.arange(2, 6))]
    assert out.tolist() == wanted
