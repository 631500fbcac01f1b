# Inputs and results of the kernels over rows of matrices.
import numpy as np

from users.common import integers, kernel, uniform


def _offsets(rows, mean):
    """Where rows of 1 to 2 * mean - 1 elements begin and end."""
    lengths = integers(rows, dtype=np.int32, low=1, high=2 * mean)
    return np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])


def spmv(rows=150_000, mean=12):
    offsets = _offsets(rows, mean)
    count = int(offsets[-1])
    columns = np.repeat(np.arange(rows), np.diff(offsets)) + integers(count, dtype=np.int64, low=-500, high=501)
    columns = columns.clip(0, rows - 1).astype(np.int32)
    values, x = uniform(count, dtype=np.float64), uniform(rows, dtype=np.float64, seed=2)

    def reference():
        return [np.add.reduceat(values * x[columns], offsets[:-1])]

    arguments = (offsets, columns, values, x, np.zeros(rows))
    return kernel("spmv", arguments, extents=(rows,), reference=reference, tolerance=1e-13)


def jagged_max(rows=200_000, mean=20):
    offsets = _offsets(rows, mean)
    values = uniform(int(offsets[-1]), low=-1)

    def reference():
        return [np.maximum.reduceat(values, offsets[:-1])]

    return kernel("jagged_max", (offsets, values, np.zeros(rows, np.float32)), extents=(rows,), reference=reference)


def gemv(rows=4096, columns=2000):
    a, x = uniform(rows, columns), uniform(columns)

    def reference():
        return [a.astype(np.float64) @ x]

    arguments = (a, x, np.zeros(rows, np.float32))
    return kernel("gemv", arguments, extents=(rows, columns), threads=(rows,), reference=reference, tolerance=1e-4)


def row_scores(rows=40_000, columns=100):
    a, weights = uniform(rows, columns), uniform(columns)

    def reference():
        return [a.astype(np.float64) @ weights]

    arguments = (a, weights, np.zeros(rows, np.float32))
    extents = (rows, columns)
    return kernel("row_scores", arguments, extents=extents, threads=(rows,), reference=reference, tolerance=1e-5)


def softmax(rows=8192, columns=200):
    a = uniform(rows, columns, low=-5, high=5)

    def reference():
        e = np.exp(a.astype(np.float64) - a.max(axis=1, keepdims=True))
        return [e / e.sum(axis=1, keepdims=True)]

    arguments, extents = (a, np.zeros_like(a)), (rows, columns)
    return kernel("softmax", arguments, extents=extents, threads=(rows,), reference=reference, tolerance=1e-5)


def column_of_rows(rows=3_000_000, columns=8):
    table, factor = uniform(rows, columns), np.float32(2.5)

    def reference():
        result = factor * table[:, 2].astype(np.float64) + table[:, 5]
        right = table.astype(np.float64)
        right[:, 7] = result
        return [right, result]

    return kernel(
        "column_of_rows",
        (table, factor, np.zeros(rows, np.float32)),
        outputs=(0, 2),
        extents=(rows, columns),
        threads=(rows,),
        reference=reference,
        tolerance=1e-6,
    )


def horner(polynomials=64, points=20_000, count=60):
    coefficients = uniform(polynomials, count, dtype=np.float64, low=-1)
    x = uniform(points, dtype=np.float64, low=-1)

    def reference():
        return [np.stack([np.polyval(row, x) for row in coefficients])]

    return kernel(
        "horner",
        (coefficients, x, np.zeros((polynomials, points))),
        extents=(polynomials, points, count),
        threads=(points, polynomials),
        reference=reference,
        tolerance=1e-13,
    )


KERNELS = {
    "spmv": (spmv, {"rows": 300}),
    "jagged_max": (jagged_max, {"rows": 300}),
    "gemv": (gemv, {"rows": 100, "columns": 70}),
    "row_scores": (row_scores, {"rows": 100, "columns": 30}),
    "softmax": (softmax, {"rows": 100, "columns": 70}),
    "column_of_rows": (column_of_rows, {"rows": 300}),
    "horner": (horner, {"polynomials": 5, "points": 100}),
}
