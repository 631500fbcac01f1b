# Rows of unequal length, one for each thread: loops that the CPU device runs lane by lane, and ones that it does not.
import math

import numpy as np
import stand_in
from treadle import cuda

from kernels.harness import check


@cuda.jit
def product(offsets, columns, values, x, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k] * x[columns[k]]
        out[row] = total


@cuda.jit
def extremes(offsets, values, out):
    """Results of several types; one is the same for all lanes before the loop."""
    row = cuda.grid(1)
    if row < out.shape[0]:
        most, where, any_odd = np.float32(-math.inf), -1, False
        for k in range(offsets[row], offsets[row + 1]):
            if values[k] > most:
                most, where = np.float32(values[k]), k
            any_odd = any_odd or values[k] & 1 == 1
        out[row, 0], out[row, 1], out[row, 2] = most, where, any_odd


@cuda.jit
def sums(offsets, values, out):
    row = cuda.grid(1)
    if row < out.shape[0]:
        pair, z = (row, 0.5), 1 + 0j
        for k in range(offsets[row], offsets[row + 1]):
            pair = (pair[0] + 1, pair[1] + values[k])
            z = z + complex(values[k], k)
        out[row, 0], out[row, 1] = pair
        out[row, 2], out[row, 3] = z.real, z.imag


@cuda.jit
def with_exits(offsets, values, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(offsets[row], offsets[row + 1]):
            if values[k] == 3:
                continue
            if values[k] == 7:
                break
            for j in range(k, offsets[row + 1], 2):
                if values[j] == 5:
                    break
                total += values[j]
        out[row] = total


@cuda.jit
def steps(offsets, values, step, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(offsets[row + 1] - 1, offsets[row] - 1, -1):
            total = 3 * total + values[k]
        for k in range(offsets[row], offsets[row + 1], 3):
            total = 3 * total + values[k]
        for k in range(offsets[row], offsets[row + 1], step):
            total = 5 * total + values[k]
        out[row] = total


@cuda.jit
def last(offsets, values, out):
    """The loop's variable is used after it, also where there was no iteration."""
    row = cuda.grid(1)
    if row < out.size:
        k, total = 100 * row, 0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k]
        out[row] = 1000 * k + total


@cuda.jit
def among_others(offsets, values, others, chosen, out):
    """Within loops, and in some of the threads only."""
    row = cuda.grid(1)
    if row >= out.size:
        return
    total, turns = 0, 0
    while turns < chosen[row]:
        turns += 1
        if (row + turns) % 3 == 0:
            for k in range(offsets[row], offsets[row + 1]):
                total += values[k] * turns
        elif total > 40:
            break
        else:
            total += 1
        array = values if turns % 2 == row % 2 else others
        for k in range(offsets[row] // 2, offsets[row + 1] // 2):
            total += array[k]
    out[row] = total


@cuda.jit
def sum_of(offsets, values, row):
    total = 0
    for k in range(offsets[row], offsets[row + 1]):
        total += values[k]
    return total


@cuda.jit
def in_functions(offsets, values, out):
    row = cuda.grid(1)
    if row < out.size:
        out[row] = sum_of(offsets, values, row) - 2 * sum_of(offsets, values, out.size - 1 - row)


@cuda.jit
def between_barriers(offsets, values, out):
    sums = cuda.shared.array(64, np.int64)
    row, t = cuda.grid(1), cuda.threadIdx.x
    sums[t] = row
    cuda.syncthreads()
    total = sums[63 - t]
    if row < out.size:
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k]
    cuda.syncthreads()
    sums[t] = total
    cuda.syncthreads()
    if row < out.size:
        out[row] = sums[63 - t] + total


@cuda.jit
def written(offsets, values, out):
    row = cuda.grid(1)
    if row < offsets.size - 1:
        for k in range(offsets[row], offsets[row + 1]):
            out[k] = values[k] + row


@cuda.jit
def intersected(offsets, values, out):
    """A loop that ends where the elements say so, in the loop over a row."""
    row = cuda.grid(1)
    if row < out.size:
        count, end = 0, offsets[row + 1]
        for k in range(offsets[row], end):
            a, b = k + 1, offsets[abs(values[k])]
            while a < end and b < offsets[abs(values[k]) + 1]:
                if values[a] == values[b]:
                    count += 1
                    b += 1
                a += 1
        out[row] = count


@cuda.jit
def roots(offsets, values, out):
    """The inner loop computes, and loads nothing."""
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(offsets[row], offsets[row + 1]):
            value = values[k]
            while value > 1:
                value = value >> 1
                total += 1
        out[row] = total


@cuda.jit
def added(offsets, values, out):
    """Additions of all threads to one element are combined."""
    row = cuda.grid(1)
    if row < offsets.size - 1:
        for k in range(offsets[row], offsets[row + 1]):
            cuda.atomic.add(out, 0, values[k])


@cuda.jit
def reordered(offsets, values, out):
    """An array of the thread's own, whose elements lie beside those of its neighbours."""
    row = cuda.grid(1)
    own = cuda.local.array(4, np.int64)
    if row < out.size:
        for j in range(4):
            own[j] = 0
        for k in range(offsets[row], offsets[row + 1]):
            own[k & 3] = values[k]
        out[row] = own[0] + 2 * own[1] + 3 * own[2] + 4 * own[3]


@cuda.jit
def of_threads(offsets, values, out):
    row = cuda.grid(1)
    own = cuda.local.array(4, np.int64)
    if row < out.size:
        for j in range(4):
            own[j] = row * j
        total = 0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k] * cuda.threadIdx.x + own[k & 3]
        out[row] = total


@cuda.jit
def costly(offsets, values, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k] // 3 + values[k] % 5
        out[row] = total


@cuda.jit
def triangle(values, out):
    """Rows that all begin at one place, or a known distance apart, have no gathers."""
    row = cuda.grid(1)
    if row < out.size:
        total = 0
        for k in range(row):
            total += values[k]
        for k in range(row, out.size):
            total -= values[k]
        out[row] = total


ALONE = (
    product, extremes, sums, with_exits, steps, last, among_others, in_functions, between_barriers, written,
    intersected,
)  # fmt: skip
TOGETHER = (of_threads, costly, triangle, roots, added, reordered)

INTEGERS = "(int32[::1], int64[::1], int64[::1])"
PTX = [
    (product, "(int32[::1], int32[::1], float64[::1], float64[::1], float64[::1])"),
    *((kernel, "(int32[::1], int64[::1], float64[:, ::1])") for kernel in (extremes, sums)),
    (steps, "(int32[::1], int64[::1], int64, int64[::1])"),
    (among_others, "(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])"),
    *((kernel, INTEGERS) for kernel in (with_exits, last, in_functions, between_barriers, of_threads)),
]


def runs_lane_by_lane(kernel):
    return all("row.by.lane" in kernel.inspect("llvm", types) for types in kernel.signatures)


def run():
    random = np.random.default_rng(8)
    for rows, longest in ((1, 3), (31, 1), (64, 9), (100, 40), (97, 5)):
        lengths = random.integers(0, longest + 1, rows)
        lengths[random.integers(0, rows, rows // 4)] = 0
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        count = max(int(offsets[-1]), 1)
        values, columns = random.integers(-9, 9, count), random.integers(-rows, rows, count)
        out, x = np.zeros(rows, np.int64), random.integers(0, 9, rows).astype(np.float64)
        for block in (64, 32, 17):
            grid = -(-rows // block)
            for kind in (np.int32, np.int64, np.uint32, np.uint64):
                of_kind = offsets.astype(kind)
                check(product, grid, block, of_kind, columns.astype(np.int32), values * 1.0, x, x * 0)
                check(last, grid, block, of_kind, values, out)
                check(sum_in_rows, grid, block, of_kind, values, out)
            for kernel in (with_exits, in_functions, of_threads, roots, added, reordered):
                check(kernel, grid, block, offsets, values, out)
            for kernel in (extremes, sums):
                check(kernel, grid, block, offsets, values, np.zeros((rows, 4)))
            for step in (1, 4, -1):
                check(steps, grid, block, offsets.astype(np.int32), values, step, out)
            check(among_others, grid, block, offsets, values, columns, random.integers(0, 6, rows), out)
            small = np.clip(np.abs(values), 0, rows - 1)
            check(intersected, grid, block, offsets, small, out)
            check(written, grid, block, offsets, values, np.zeros_like(values))
            check(costly, grid, block, offsets, values, x * 0)
            check(triangle, grid, block, np.arange(rows) % 7, out)
        check(between_barriers, -(-rows // 64), 64, offsets, values, out)
        # Rows that begin before the first element count from the end; some do, others do not.
        below = offsets - np.int64(rows // 2)
        check(last, -(-rows // 32), 32, np.maximum(below, -count), values, out)
    if not stand_in.is_under_test():
        for kernel in (*ALONE, *TOGETHER):
            assert runs_lane_by_lane(kernel) == (kernel in ALONE), kernel.py_func.__name__


@cuda.jit
def sum_in_rows(offsets, values, out):
    """The counter is of the offsets' type."""
    row = cuda.grid(1)
    if row < out.size:
        total = values[0] * 0
        for k in range(offsets[row], offsets[row + 1], 1):
            total += values[k]
        out[row] = total
