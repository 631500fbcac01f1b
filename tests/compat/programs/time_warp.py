"""Time warping with a smooth minimum, and its gradient: kernels that walk a table from one anti-diagonal to the next.

Two series are aligned by a path through the table of their costs, from the first cell to the last, by steps down, to
the right, or both. The warping distance is the smooth minimum of the sums of costs along all paths, where the smooth
minimum of numbers `a` at the temperature `t` is `-t * log(sum(exp(-a / t)))`. It can be had cell by cell: the distance
to a cell is its cost and the smooth minimum of the distances to the three cells from which a path may come. The share
of each of the three in that sum is the probability that a path comes from there; and the derivative of the distance by
a cell's cost is the probability that a path goes through the cell.
"""

import math

import numpy as np
from numba import cuda

MOST_THREADS = 64  # a diagonal with more cells takes several rounds
MOST_ROWS = 128  # of tables whose distance alone is computed, by a thread for each row


@cuda.jit
def squared_differences(x, y, costs):
    """costs[p, i, j]: the square of the distance from the point x[p, i] to the point y[p, j]."""
    j, i, p = cuda.grid(3)
    if p < costs.shape[0] and i < costs.shape[1] and j < costs.shape[2]:
        total = costs.dtype.type(0)
        for k in range(x.shape[2]):
            total += (x[p, i, k] - y[p, j, k]) ** 2
        costs[p, i, j] = total


@cuda.jit(device=True)
def in_band(row, column, rows, columns, band):
    """Whether a cell is at most `band` cells of the longer side from the straight line between the corners.

    With a band of 1 or more a cell within it has one before it that is, too.
    """
    away = row * (columns - 1) - column * (rows - 1)
    return abs(away) <= band * max(rows - 1, columns - 1)


@cuda.jit(device=True)
def smooth_minimum(above, left, corner, temperature):
    """The smooth minimum of three numbers, of which one is finite, and the share of each."""
    least = min(above, left, corner)
    a = math.exp((least - above) / temperature)
    b = math.exp((least - left) / temperature)
    c = math.exp((least - corner) / temperature)
    total = a + b + c
    return least - temperature * math.log(total), (a / total, b / total, c / total)


@cuda.jit(device=True)
def diagonal_rows(diagonal, rows, columns):
    """The first row that has a cell on a diagonal, and the one after the last."""
    return max(0, diagonal - columns + 1), min(rows, diagonal + 1)


@cuda.jit
def walk_forward(costs, temperature, band, reached, shares):
    """reached[p, i + 1, j + 1]: the distance to the cell (i, j) of the pair p; shares[p, i, j]: whence it comes.

    `reached` is infinite before, except for its corner, and `shares` zero: so they stay outside the band.
    """
    pair, thread = cuda.blockIdx.x, cuda.threadIdx.x
    _, rows, columns = costs.shape
    for diagonal in range(rows + columns - 1):
        begin, end = diagonal_rows(diagonal, rows, columns)
        for row in range(begin + thread, end, cuda.blockDim.x):
            column = diagonal - row
            if in_band(row, column, rows, columns, band):
                least, whence = smooth_minimum(
                    reached[pair, row, column + 1],
                    reached[pair, row + 1, column],
                    reached[pair, row, column],
                    temperature,
                )
                reached[pair, row + 1, column + 1] = costs[pair, row, column] + least
                for k in range(3):
                    shares[pair, row, column, k] = whence[k]
        cuda.syncthreads()


@cuda.jit
def walk_back(shares, factors, through):
    """through[p, i, j]: factors[p] times the probability that a path goes through a cell, from those after it.

    `shares` and `through` have one more row and one more column of zeros.
    """
    pair = cuda.blockIdx.x
    rows, columns = through.shape[1] - 1, through.shape[2] - 1
    for diagonal in range(rows + columns - 2, -1, -1):
        begin, end = diagonal_rows(diagonal, rows, columns)
        row = end - 1 - cuda.threadIdx.x
        while row >= begin:
            column = diagonal - row
            if row == rows - 1 and column == columns - 1:
                through[pair, row, column] = factors[pair]
            else:
                below = through[pair, row + 1, column] * shares[pair, row + 1, column, 0]
                right = through[pair, row, column + 1] * shares[pair, row, column + 1, 1]
                corner = through[pair, row + 1, column + 1] * shares[pair, row + 1, column + 1, 2]
                through[pair, row, column] = below + right + corner
            row -= cuda.blockDim.x
        cuda.syncthreads()


@cuda.jit
def walk_for_distance(costs, temperature, band, found):
    """found[p]: the distance alone. A thread for each row; shared memory has the last three diagonals, by rows."""
    pair, row = cuda.blockIdx.x, cuda.threadIdx.x
    rows, columns = costs.shape[1:]
    latest = cuda.shared.array(0, costs.dtype)  # latest[d % 3 * (rows + 1) + i + 1] for the diagonal d and the row i
    width = rows + 1
    for k in range(row, 3 * width, rows):
        latest[k] = math.inf
    cuda.syncthreads()
    for diagonal in range(rows + columns - 1):
        now, before, earlier = diagonal % 3 * width, (diagonal + 2) % 3 * width, (diagonal + 1) % 3 * width
        column = diagonal - row
        here = math.inf
        if 0 <= column < columns and in_band(row, column, rows, columns, band):
            here = costs[pair, row, column]
            if diagonal > 0:
                least, _ = smooth_minimum(
                    latest[before + row], latest[before + row + 1], latest[earlier + row], temperature
                )
                here += least
        latest[now + row + 1] = here
        cuda.syncthreads()
    if row == rows - 1:
        found[pair] = latest[(rows + columns - 2) % 3 * width + rows]


# --- on the host -----------------------------------------------------------------------------------------------------


def costs_of(x, y):
    """The costs of pairs of series, arrays of the shapes (pairs, length, coordinates)."""
    costs = np.empty((len(x), x.shape[1], y.shape[1]), np.result_type(x, y))
    threads = (8, 4, 2)
    blocks = tuple(-(-n // per) for n, per in zip(costs.shape[::-1], threads))
    squared_differences[blocks, threads](x, y, costs)
    return costs


def everywhere(costs):
    """The band that leaves nothing out."""
    return costs.shape[1] + costs.shape[2]


def threads_for(rows, columns):
    return min(MOST_THREADS, -(-min(rows, columns) // 32) * 32)


def forward(costs, temperature, band=None):
    """The tables `reached` and `shares` of the kernel, on the host."""
    pairs, rows, columns = costs.shape
    reached = np.full((pairs, rows + 1, columns + 1), np.inf, costs.dtype)
    reached[:, 0, 0] = 0
    shares = np.zeros((pairs, rows + 1, columns + 1, 3), costs.dtype)
    band = everywhere(costs) if band is None else band
    walk_forward[pairs, threads_for(rows, columns)](costs, temperature, band, reached, shares)
    return reached, shares


def backward(shares, factors):
    """The gradient of the sum of the distances, each times its factor, by the costs."""
    through = cuda.to_device(np.zeros(shares.shape[:3], shares.dtype))
    _, rows, columns = through.shape
    walk_back[len(shares), threads_for(rows - 1, columns - 1)](shares, factors, through)
    return through.copy_to_host()[:, :-1, :-1]


def distances(costs, temperature, band=None):
    """The distances alone, without tables where the rows are few."""
    pairs, rows, columns = costs.shape
    if rows > MOST_ROWS:
        return forward(costs, temperature, band)[0][:, -1, -1]
    found = cuda.device_array(pairs, costs.dtype)
    band = everywhere(costs) if band is None else band
    shared = 3 * (rows + 1) * costs.itemsize
    walk_for_distance[pairs, rows, cuda.default_stream(), shared](costs, temperature, band, found)
    return found.copy_to_host()


# --- on the CPU ------------------------------------------------------------------------------------------------------


def table(costs, temperature, band=None):
    """The distances to all cells of one pair's table, by loops and in float64."""
    rows, columns = costs.shape
    longer = max(rows, columns) - 1
    result = np.full((rows, columns), np.inf)
    for i, j in np.ndindex(rows, columns):
        if band is not None and abs(i * (columns - 1) - j * (rows - 1)) > band * longer:
            continue
        before = [result[k] for k in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if min(k) >= 0]
        sums = -np.array(before or [0.0]) / temperature
        result[i, j] = costs[i, j] - temperature * np.logaddexp.reduce(sums)
    return result


def passing(costs, temperature, band=None):
    """The probabilities that a path goes through the cells of one pair's table: the sums over the paths to a cell,
    times those over the paths from it, of all."""
    costs = costs.astype(np.float64)
    to = table(costs, temperature, band)
    since = table(costs[::-1, ::-1], temperature, band)[::-1, ::-1]
    return np.exp((to[-1, -1] + costs - to - since) / temperature)
