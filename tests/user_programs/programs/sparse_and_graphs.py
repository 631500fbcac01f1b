# Sparse matrices and graphs: CSR rows by functions handed on as arguments, named tuples as arguments, tuples of arrays.
import collections
import operator

import numpy as np
from treadle import cuda, literal_unroll

CSR = collections.namedtuple("CSR", "start column value")
Options = collections.namedtuple("Options", "damping, steps")


@cuda.jit(device=True)
def over_row(matrix, row, function, start, x):
    total = start
    for k in range(matrix.start[row], matrix.start[row + 1]):
        total = function(total, matrix.value[k] * x[matrix.column[k]])
    return total


@cuda.jit(device=True)
def larger(a, b):
    return a if a > b else b


@cuda.jit
def spmv(matrix, x, sums, extremes):
    row = cuda.grid(1)
    if row < len(matrix.start) - 1:
        sums[row] = over_row(matrix, row, operator.add, 0.0, x)
        extremes[row] = over_row(matrix, row, larger, -1e300, x)


@cuda.jit
def rank(matrix, degrees, ranks, new, options):
    row = cuda.grid(1)
    n = ranks.shape[0]
    if row < n:
        total = 0.0
        for k in range(matrix.start[row], matrix.start[row + 1]):
            j = matrix.column[k]
            total += ranks[j] / degrees[j]
        new[row] = (1 - options.damping) / n + options.damping * total


@cuda.jit
def relax(edges, weights, distance, changed):
    i = cuda.grid(1)
    if i < edges.shape[1]:
        a, b = edges[0, i], edges[1, i]
        candidate = distance[a] + weights[i]
        if candidate < cuda.atomic.min(distance, b, candidate):
            changed[0] = True


@cuda.jit
def gather(arrays, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0.0
        for a in literal_unroll(arrays):
            total += a[i % len(a)]
        out[i] = total + len(arrays)


rng = np.random.default_rng(14)
n = 30
dense = np.where(rng.random((n, n)) < 0.2, rng.integers(1, 9, (n, n)), 0).astype(np.float64)
dense[np.arange(n), (np.arange(n) + 1) % n] = 1
rows, columns = map(np.ascontiguousarray, np.nonzero(dense))
matrix = CSR(*map(cuda.to_device, (np.append(0, np.cumsum((dense != 0).sum(axis=1))), columns, dense[rows, columns])))
x = rng.normal(size=n)
sums, extremes = np.zeros(n), np.zeros(n)
spmv[1, 32](matrix, x, sums, extremes)
np.testing.assert_allclose(sums, dense @ x)
np.testing.assert_allclose(extremes, np.where(dense != 0, dense * x, -np.inf).max(axis=1))

options = Options(0.85, np.int32(5))
degrees = cuda.to_device((dense != 0).sum(axis=0))
ranks, new = cuda.to_device(np.full(n, 1 / n)), cuda.device_array(n)
expected = np.full(n, 1 / n)
for _ in range(options.steps):
    rank[1, 32](matrix, degrees, ranks, new, options)
    ranks, new = new, ranks
    expected = 0.15 / n + 0.85 * (dense != 0) @ (expected / (dense != 0).sum(axis=0))
np.testing.assert_allclose(ranks.copy_to_host(), expected)

edges, weights = np.stack([rows, columns]).astype(np.int32), dense[rows, columns]
distance = cuda.to_device(np.where(np.arange(n) == 0, 0, np.inf))
changed = cuda.mapped_array(1, np.bool_)
changed[0] = True
while changed[0]:
    changed[0] = False
    relax.forall(weights.size)(edges, weights, distance, changed)
    cuda.synchronize()
wanted = np.where(np.arange(n) == 0, 0, np.inf)
for _ in range(n):
    np.minimum.at(wanted, columns, wanted[rows] + weights)
np.testing.assert_array_equal(distance.copy_to_host(), wanted)

arrays = (np.arange(3), np.float32([0.5, 1.5]), np.array([True, False, True, True]), np.float16([2]))
out = np.zeros(12)
gather[1, 32](arrays, out)
np.testing.assert_array_equal(out, sum(np.resize(a, 12).astype(float) for a in arrays) + 4)
