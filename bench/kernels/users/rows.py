# Rows of matrices in CUDA Python, a thread for each row.
import math

from treadle import cuda, float32


@cuda.jit
def spmv(offsets, columns, values, x, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k] * x[columns[k]]
        out[row] = total


@cuda.jit
def jagged_max(offsets, values, out):
    row = cuda.grid(1)
    if row < out.size:
        best = float32(-math.inf)
        for k in range(offsets[row], offsets[row + 1]):
            best = max(best, values[k])
        out[row] = best


@cuda.jit
def gemv(a, x, out):
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = float32(0.0)
        for column in range(a.shape[1]):
            total += a[row, column] * x[column]
        out[row] = total


@cuda.jit
def row_scores(a, weights, out):
    i = cuda.grid(1)
    if i < out.size:
        row = a[i]
        total = float32(0.0)
        for k in range(weights.size):
            total += row[k] * weights[k]
        out[i] = total


@cuda.jit
def softmax(a, out):
    row = cuda.grid(1)
    if row < a.shape[0]:
        largest = a[row, 0]
        for column in range(1, a.shape[1]):
            largest = max(largest, a[row, column])
        total = float32(0.0)
        for column in range(a.shape[1]):
            e = math.exp(a[row, column] - largest)
            out[row, column] = e
            total += e
        for column in range(a.shape[1]):
            out[row, column] /= total


@cuda.jit
def column_of_rows(table, factor, out):
    i = cuda.grid(1)
    if i < table.shape[0]:
        out[i] = factor * table[i, 2] + table[i, 5]
        table[i, 7] = out[i]


@cuda.jit
def horner(coefficients, x, out):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < coefficients.shape[0]:
        value = 0.0
        for k in range(coefficients.shape[1]):
            value = value * x[i] + coefficients[j, k]
        out[j, i] = value
