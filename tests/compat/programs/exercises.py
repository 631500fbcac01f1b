"""Exercises in writing kernels. Each is a function of `cuda`, which may be numba.cuda or threads of Python."""

import math

import numba
import numpy as np
from exercise_runner import Exercise

SIDE = 4  # of the tiles of a product, and of blocks in two dimensions
LANES = 16  # threads of a block in one dimension: the lengths of shared arrays

# --- a thread for each element ----------------------------------------------------------------------------------------


def affine_map(cuda):
    def kernel(out, x):
        me = cuda.threadIdx.x
        out[me] = 3 * x[me] - 2

    return kernel


def blend(cuda):
    def kernel(out, x, y, share):
        me = cuda.threadIdx.x
        out[me] = x[me] + share * (y[me] - x[me])

    return kernel


def clamp_with_guard(cuda):
    def kernel(out, x, low, high):
        me = cuda.threadIdx.x
        if me < x.shape[0]:
            out[me] = min(max(x[me], low), high)

    return kernel


def backwards(cuda):
    def kernel(out, x):
        for at in range(cuda.grid(1), len(x), cuda.gridsize(1)):
            out[-1 - at] = x[at]

    return kernel


def run_lengths(cuda):
    """How many equal elements end at each."""

    def kernel(out, x):
        at = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if at >= len(x):
            return
        length = 1
        while at - length >= 0 and x[at - length] == x[at]:
            length += 1
        out[at] = length

    return kernel


def run_lengths_of(x):
    lengths = np.ones(len(x), np.int32)
    for at in range(1, len(x)):
        if x[at] == x[at - 1]:
            lengths[at] = lengths[at - 1] + 1
    return lengths


# --- two dimensions ---------------------------------------------------------------------------------------------------


def outer_sum(cuda):
    def kernel(out, column, row):
        i, j = cuda.threadIdx.y, cuda.threadIdx.x
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = column[i, 0] + row[0, j]

    return kernel


def row_offsets(cuda):
    def kernel(out, table, offsets):
        i, j = cuda.grid(2)
        rows, columns = table.shape
        if i >= rows or j >= columns:
            return
        out[i, j] = table[i, j] + offsets[i]

    return kernel


def dilation(cuda):
    """The greatest of an element and its eight neighbours."""

    def kernel(out, table):
        j, i = cuda.grid(2)
        rows, columns = table.shape
        if i < rows and j < columns:
            greatest = table[i, j]
            for k in range(max(i - 1, 0), min(i + 2, rows)):
                for other in table[k, max(j - 1, 0) : j + 2]:
                    greatest = max(greatest, other)
            out[i, j] = greatest

    return kernel


def dilated(table):
    padded = np.pad(table, 1, "edge")
    return np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).max((-1, -2))


# --- shared memory ----------------------------------------------------------------------------------------------------


def mirror_in_blocks(cuda):
    """Threads past the end leave before the barrier."""

    def kernel(out, x):
        block = cuda.shared.array(LANES, numba.float64)
        start = cuda.blockIdx.x * cuda.blockDim.x
        me = cuda.threadIdx.x
        present = min(cuda.blockDim.x, len(x) - start)
        if me >= present:
            return
        block[me] = x[start + me]
        cuda.syncthreads()
        out[start + me] = block[present - 1 - me]

    return kernel


def mirrored(x):
    return np.concatenate([x[start : start + LANES][::-1] for start in range(0, len(x), LANES)])


def moving_average(width):
    """The mean of so many elements that end at each, fewer at the start: a function that makes a factory."""

    def factory(cuda):
        def kernel(out, x):
            tile = cuda.shared.array(LANES + width - 1, numba.float64)
            start, me = cuda.blockIdx.x * LANES - (width - 1), cuda.threadIdx.x
            for place in range(me, LANES + width - 1, LANES):
                tile[place] = x[start + place] if 0 <= start + place < len(x) else 0
            cuda.syncthreads()
            at = cuda.grid(1)
            if at < len(x):
                total = 0.0
                for k in range(width):
                    total += tile[me + k]
                out[at] = total / min(width, at + 1)

        return kernel

    return factory


def averages(width):
    return lambda x: np.array([x[max(0, end - width) : end].mean(dtype=np.float64) for end in range(1, len(x) + 1)])


def correlation(cuda):
    """Each window of the signal times the pattern, both in shared memory."""

    def kernel(out, signal, pattern):
        tile = cuda.shared.array(2 * LANES, numba.float64)
        weights = cuda.shared.array(LANES, numba.float32)
        me, at = cuda.threadIdx.x, cuda.grid(1)
        tile[me] = signal[at] if at < len(signal) else 0
        tile[LANES + me] = signal[at + LANES] if at + LANES < len(signal) else 0
        if me < len(pattern):
            weights[me] = pattern[me]
        cuda.syncthreads()
        if at < len(out):
            total = 0.0
            for k in range(len(pattern)):
                total += tile[me + k] * weights[k]
            out[at] = total

    return kernel


def tiled_maximum(cuda):
    """The greatest element of each block's part, by halves."""

    def kernel(out, x):
        best = cuda.shared.array(LANES, numba.float64)
        me, at = cuda.threadIdx.x, cuda.grid(1)
        best[me] = x[at] if at < len(x) else -math.inf
        half = LANES // 2
        while half > 0:
            cuda.syncthreads()
            if me < half:
                best[me] = max(best[me], best[me + half])
            half //= 2
        if me == 0:
            out[cuda.blockIdx.x] = best[0]

    return kernel


def prefix_maximum(cuda):
    """The greatest so far, in one block: at each pass a thread looks twice as far back."""

    def kernel(out, x):
        passes = cuda.shared.array((2, 2 * LANES), numba.float64)
        me, n, now = cuda.threadIdx.x, len(x), 0
        if me < n:
            passes[now, me] = x[me]
        back = 1
        while back < n:
            cuda.syncthreads()
            if me < n:
                seen = passes[now, me]
                passes[1 - now, me] = max(seen, passes[now, me - back]) if me >= back else seen
            now, back = 1 - now, 2 * back
        if me < n:
            out[me] = passes[now, me]

    return kernel


def column_norms(cuda):
    """A block for a column."""

    def kernel(out, table):
        part = cuda.shared.array(shape=(LANES,), dtype=numba.float64)
        me, column = cuda.threadIdx.x, cuda.blockIdx.x
        total = 0.0
        for i in range(me, table.shape[0], cuda.blockDim.x):
            total += table[i, column] ** 2
        part[me] = total
        cuda.syncthreads()
        for k in (8, 4, 2, 1):
            if me < k:
                part[me] += part[me + k]
            cuda.syncthreads()
        if me == 0:
            out[column] = math.sqrt(part[0])

    return kernel


def tiled_product(cuda):
    """The product of a matrix and another transposed: both are read along their rows."""

    def kernel(out, left, right):
        of_left = cuda.shared.array((SIDE, SIDE), numba.float64)
        of_right = cuda.shared.array((SIDE, SIDE), numba.float64)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        row, column = cuda.blockIdx.y * SIDE + y, cuda.blockIdx.x * SIDE + x
        total = 0.0
        for start in range(0, left.shape[1], SIDE):
            inside = start + x < left.shape[1]
            of_left[y, x] = left[row, start + x] if inside and row < left.shape[0] else 0
            other = cuda.blockIdx.x * SIDE + y
            of_right[x, y] = right[other, start + x] if inside and other < right.shape[0] else 0
            cuda.syncthreads()
            for k in range(SIDE):
                total += of_left[y, k] * of_right[k, x]
            cuda.syncthreads()
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = total

    return kernel


def soft_look_up(cuda):
    """For each question the mean of the values, weighted by how well their keys fit, in one pass over the tiles."""

    def kernel(out, questions, keys, values):
        tile = cuda.shared.array((2, LANES), numba.float64)
        me, at = cuda.threadIdx.x, cuda.grid(1)
        question = questions[at] if at < len(questions) else 0.0
        top, weight, total = -math.inf, 0.0, 0.0
        for start in range(0, len(keys), LANES):
            cuda.syncthreads()
            if start + me < len(keys):
                tile[0, me], tile[1, me] = keys[start + me], values[start + me]
            cuda.syncthreads()
            for k in range(min(LANES, len(keys) - start)):
                fit = question * tile[0, k]
                above = max(top, fit)
                shrink, mine = math.exp(top - above), math.exp(fit - above)
                weight, total = weight * shrink + mine, total * shrink + mine * tile[1, k]
                top = above
        if at < len(out):
            out[at] = total / weight

    return kernel


def looked_up(questions, keys, values):
    fits = np.multiply.outer(questions, keys).astype(np.float64)
    weights = np.exp(fits - fits.max(1, keepdims=True))
    return weights @ values / weights.sum(1)


# --- all of them ------------------------------------------------------------------------------------------------------


def vectors(n, dtype, seed=0):
    """Exercises of one dimension, for `n` elements of a dtype, at most two blocks' threads."""
    random = np.random.default_rng(seed)
    x, y, keys = random.integers(-9, 10, (3, n)).astype(dtype)
    runs = random.integers(0, 2, n).astype(dtype)
    pattern = np.arange(1, 6).astype(dtype)
    groups = -(-n // LANES)
    tiles = {"blocks": (groups,), "threads": (LANES,)}
    return [
        Exercise("affine map", affine_map, (x,), lambda x: 3 * x - 2, threads=(n,)),
        Exercise("blend", blend, (x, y, 3), lambda x, y, share: x + share * (y - x), threads=(n, 1)),
        Exercise("clamp with guard", clamp_with_guard, (x, -4, 5), np.clip, threads=(2 * LANES,)),
        Exercise("backwards", backwards, (x,), lambda x: x[::-1], blocks=(2,), threads=(5,)),
        Exercise("run lengths", run_lengths, (runs,), run_lengths_of, **tiles),
        Exercise("mirror in blocks", mirror_in_blocks, (x,), mirrored, **tiles),
        Exercise("moving average", moving_average(4), (x,), averages(4), **tiles),
        Exercise("moving average, wide", moving_average(LANES + 3), (x,), averages(LANES + 3), **tiles),
        Exercise("correlation", correlation, (x, pattern), lambda x, p: np.correlate(x, p, "valid"), **tiles),
        Exercise("tiled maximum", tiled_maximum, (x,), lambda x: np.maximum.reduceat(x, range(0, n, LANES)), **tiles),
        Exercise("prefix maximum", prefix_maximum, (x,), np.maximum.accumulate, threads=(2 * LANES,)),
        Exercise("soft look-up", soft_look_up, (x / 9, keys / 9, y), looked_up, **tiles),
    ]


def tables(rows, columns, dtype, seed=0):
    """Exercises of two dimensions."""
    random = np.random.default_rng(seed)
    table, other = random.integers(-9, 10, (2, rows, columns)).astype(dtype)
    offsets = random.integers(-9, 10, rows).astype(dtype)
    tall, wide, square = -(-rows // SIDE), -(-columns // SIDE), (SIDE, SIDE)
    return [
        Exercise("outer sum", outer_sum, (table[:, :1], table[:1]), np.add, threads=(columns + 1, rows + 2)),
        Exercise("row offsets", row_offsets, (table, offsets), lambda t, o: t + o[:, None], (tall, wide), square),
        Exercise("dilation", dilation, (table,), dilated, (wide, tall), square),
        Exercise("column norms", column_norms, (table,), lambda t: np.sqrt((t**2).sum(0)), (columns,), (LANES,)),
        Exercise("tiled product", tiled_product, (table, other[::-1]), lambda a, b: a @ b.T, (tall, tall), square),
    ]
