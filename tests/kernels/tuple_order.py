# Tuples in order: the first difference decides, then the lengths; nested, of several types, named, with NaN and None.
import collections
import itertools

import numpy as np
from treadle import cuda

from kernels.harness import launch

Key = collections.namedtuple("Key", "cost place")


@cuda.jit(device=True)
def relations(a, b):
    return int(a < b) + 2 * int(a <= b) + 4 * int(a > b) + 8 * int(a >= b)


@cuda.jit
def order(x, out):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[0]:
        (a, b, c), (d, e, f) = x[i], x[j]
        out[i, j, 0] = relations((a, b), (d, e))
        out[i, j, 1] = relations((a, (b, int(c))), (d, (e, int(f))))
        out[i, j, 2] = relations((a, b), (d, e, f))
        out[i, j, 3] = relations(Key(int(a), c), Key(int(d), f))
        out[i, j, 4] = ((None, a) < (None, d)) + 2 * (() < (a,)) + 4 * ((1, a) > (2, d)) + 8 * (() >= ())


@cuda.jit
def smallest(x, out):
    """The usual use: a minimum with its place, in shared memory."""
    cost = cuda.shared.array(64, x.dtype)
    place = cuda.shared.array(64, np.int32)
    tid = cuda.threadIdx.x
    cost[tid], place[tid] = x[cuda.grid(1)], 63 - tid
    cuda.syncthreads()
    half = 32
    while half:
        if tid < half and (cost[tid + half], place[tid + half]) < (cost[tid], place[tid]):
            cost[tid], place[tid] = cost[tid + half], place[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        out[cuda.blockIdx.x] = place[0]


PTX = [(order, "(float64[:, ::1], int64[:, :, ::1])"), (smallest, "(int16[::1], int32[::1])")]


def wanted(row, other):
    (a, b, c), (d, e, f) = map(float, row), map(float, other)
    relations = order.py_func.__globals__["relations"].py_func
    return [
        relations((a, b), (d, e)),
        relations((a, (b, int(c))), (d, (e, int(f)))),
        relations((a, b), (d, e, f)),
        relations((int(a), c), (int(d), f)),
        (a < d) + 2 + 8,
    ]


def run():
    values = itertools.product([0.0, 1.0], [-0.0, 0.0, 2.5, np.nan], [0.0, 3.0])
    x = np.array(list(values))
    out = launch(order, (2, 2), (8, 8), x, np.zeros((16, 16, 5), np.int64))[1]
    assert out.tolist() == [[wanted(row, other) for other in x] for row in x]
    costs = np.random.default_rng(0).integers(-3, 3, 256).astype(np.int16)
    out = launch(smallest, 4, 64, costs, np.zeros(4, np.int32))[1]
    assert out.tolist() == [min(zip(part, range(63, -1, -1)))[1] for part in costs.reshape(4, 64)]
