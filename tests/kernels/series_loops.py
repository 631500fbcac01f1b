# enumerate() and zip() of ranges, arrays and tuples, within each other, with break, continue and else.
import numpy as np
from treadle import cuda

from kernels.harness import check

TABLE = np.arange(12).reshape(4, 3)


@cuda.jit
def nested(x, y, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for k, (u, v) in enumerate(zip(x[i], y[i, 1:]), 1):
            out[i, 0] += k * u - v
        for (j, a), b in zip(enumerate(x[i], i), range(i, 0, -2)):
            out[i, 1] += j * a + b
        for k, (j, (u, w)) in enumerate(enumerate(zip(range(i % 5), (7, 8, 9)), 2), -3):
            out[i, 2] += k * 100 + j * 10 + u * w
        for a, b, c in zip(x[i], (i, 2, 3, 4), range(9)):
            out[i, 3] += a * b - c
        for (k,) in zip(range(i % 3)):
            out[i, 3] += k


@cuda.jit
def leaving(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for k, v in enumerate(x[i]):
            if v > 20:
                break
            if v % 2:
                continue
            out[i, 0] += k + v
        else:
            out[i, 0] += 1000
        for a, b in zip(range(i % 7), x[i]):
            if a * b > 30:
                break
            for c in zip(range(3), range(i)):
                if c[0] == c[1] == 1:
                    continue
                out[i, 1] += a + c[0]
            else:
                out[i, 1] += 100
        else:
            out[i, 1] += 10000


@cuda.jit
def rows(x, out):
    i = cuda.grid(1)
    if i < out.size:
        for k, row in enumerate(TABLE):
            out[i] += k * row[i % 3]
            for j, value in enumerate(row[::-1]):
                out[i] += j * value
        for row, other in zip(TABLE, x):
            out[i] += row[0] * other[1]
        for row in enumerate(x):
            out[i] += row[0] * row[1][0]


@cuda.jit
def writes(x):
    """Rows are views, and elements are read when their turn comes."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        for k, row in enumerate(x[i]):
            row[0] = k
            for j, value in enumerate(row):
                if j + 1 < row.shape[0]:
                    row[j + 1] = value + 2


@cuda.jit
def targets(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for out[i, 0], out[i, 1] in enumerate(x[i]):
            out[i, 2] += out[i, 0] * out[i, 1]
        for pair in zip(x[i], x[i, ::-1]):
            out[i, 3] += pair[0] * 3 + pair[1]
        for k, (a, (b, c)) in ((1, (2, (3, i))), (i, (5, (6, 7)))):
            out[i, 3] += k + a * b * c


PTX = [
    (nested, "(int64[:, ::1], int64[:, :], int64[:, ::1])"),
    (leaving, "(int64[:, ::1], int64[:, ::1])"),
    (rows, "(int64[:, :], int64[::1])"),
    (writes, "(int64[:, :, :],)"),
    (targets, "(int64[:, ::1], int64[:, ::1])"),
]


def run():
    n = 77
    x = np.arange(n * 5).reshape(n, 5) % 31
    y = np.arange(n * 4).reshape(n, 4) % 17
    check(nested, 3, 32, x, y, np.zeros((n, 4), np.int64))
    check(nested, 3, 32, x, y[::-1, ::-1], np.zeros((n, 4), np.int64))
    check(leaving, 3, 32, x, np.zeros((n, 2), np.int64))
    check(rows, 3, 32, x[:3], np.zeros(n, np.int64))
    check(writes, 3, 32, np.zeros((n, 3, 4), np.int64))
    check(targets, 3, 32, x, np.zeros((n, 4), np.int64))
