# Elements that a thread stores or loads and then loads again: through joins, and with other writes between.
import os

import numpy as np
import stand_in
from treadle import cuda

from kernels.harness import check, launch


@cuda.jit
def reflected(dt, position, velocity):
    i = cuda.grid(1)
    if i < position.shape[0]:
        for axis in range(3):
            position[i, axis] += velocity[i, axis] * dt
            if position[i, axis] < 0:
                position[i, axis] = -position[i, axis]
                velocity[i, axis] = -velocity[i, axis]
            elif position[i, axis] > 100:
                position[i, axis] = 200 - position[i, axis]
                velocity[i, axis] = -velocity[i, axis]


@cuda.jit
def behind_joins(x, out):
    """Arms that store, that load, that do neither, and that leave."""
    i = cuda.grid(1)
    if i < x.size:
        if x[i] % 2 == 0:
            x[i] = x[i] + 7
        out[i] = x[i]
        if x[i] % 3 == 0:
            out[i] += 1
        elif x[i] % 3 == 1:
            out[i] = out[i] * 2
            return
        else:
            x[i] = out[i] + x[i]
        out[i] = 10 * out[i] + x[i]


@cuda.jit
def one_arm(x, flags, out):
    """Only some threads have stored or loaded the element."""
    i = cuda.grid(1)
    if i < x.size:
        total = 0
        if flags[i] > 5:
            total = x[i]
        if flags[i] > 2:
            x[i] = total + 3
        total += x[i] if flags[i] > 7 else 1
        out[i] = total + x[i]


@cuda.jit
def twice(x, y, out):
    """y may be x, or a part of it."""
    i = cuda.grid(1)
    if i < y.size:
        x[i] = 3 * i + 1
        y[i] = x[i] + 5
        out[i] = x[i] + 1000 * y[i]


@cuda.jit
def neighbours(x, out):
    """Stores to the same array under other indices, by another lane for the one that is loaded."""
    i = cuda.grid(1)
    if i < x.size - 1:
        x[i] = i
        x[i + 1] = 100 + i
        out[i] = x[i]


@cuda.jit
def moving_index(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        k = 0
        x[i, k] = 5 + i
        k += 1
        out[i] = x[i, k]
        if x[i, 2] > 4:
            k = 2
        out[i] += 10 * x[i, k]
        for j in range(3):
            x[i, k] += x[i, j] + out[i]
            k = j
        out[i] += 100 * x[i, k] + x[i, 2]


@cuda.jit
def carried(x, out):
    """What a round of a loop leaves is not what the next one has found before its stores."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        at, row = 0, x[0]
        for j in range(4):
            if j > 0:
                out[i] += row[at]  # of the round before
            at = (j + i) % 4
            row = x[i]
            x[i, at] += j
            out[i] += 2 * x[i, at] + row[at]
            if x[i, at] > 9:
                break
        out[i] += x[i, at]
        n = 0
        while x[i, 0] > n:
            x[i, 0] -= n
            n += 1
        out[i] += 3 * x[i, 0]


@cuda.jit
def from_the_end(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i, 3] = 4
        x[i, -1] = 5
        x[i, 1] = 6
        out[i] = x[i, 3] + 10 * x[i, -1] + 100 * x[i, 1]
        x[-1 - i, 0] = 7
        out[i] += 1000 * x[-1 - i, 0]


@cuda.jit
def added(x, out):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = i
        cuda.atomic.add(x, i, 5)
        out[i] = x[i]


@cuda.jit
def added_in_an_arm(x, flags, out):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = i
        if flags[i] > 4:
            cuda.atomic.add(x, i, 5)
        out[i] = x[i]


@cuda.jit
def grown(x, out):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1
        for _ in range(3):
            out[i] += x[i]
            x[i] += out[i]


@cuda.jit(device=True)
def store_in(x, i, value):
    x[i] = value
    return value


@cuda.jit
def called(x, out):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1
        out[i] = store_in(x, i, i + 2) + x[i]


@cuda.jit
def fenced(x, out):
    i, t = cuda.grid(1), cuda.threadIdx.x
    x[i] = i
    cuda.syncthreads()
    x[i ^ 1] = 2 * i
    cuda.syncthreads()
    out[i] = x[i] + t


@cuda.jit
def elected(owner, rows, out):
    """Threads store to one place and read which of them was the last."""
    x, y = cuda.grid(2)
    owner[x // 4] = x
    rows[y] = x
    out[y, x] = 1000 * owner[x // 4] + rows[y]


@cuda.jit
def elected_of_four(owner, out):
    i = cuda.grid(1)
    owner[i // 4] = i
    out[i] = owner[i // 4]


@cuda.jit
def kept(x, y):
    """Elements of all types: what is loaded is what memory keeps."""
    i = cuda.grid(1)
    if i < x.size:
        x[i] = y[i] * y[i]
        y[i] = x[i] + x[i]
        if x[i] != y[i]:
            x[i] = -x[i]
        y[i] = x[i] - y[i]


@cuda.jit
def narrowed(x, flags, out):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 77 * i
        flags[i] = x[i] > 40
        out[i] = x[i] * 3 + (5 if flags[i] else 0)


@cuda.jit
def of_records(items, out):
    i = cuda.grid(1)
    if i < items.size:
        items[i]["a"] = 3 * i
        items[i]["b"] += items[i]["a"]
        if items[i]["b"] > 9:
            items[i]["b"] = -items[i]["b"]
        out[i] = items[i]["a"] + items[i]["b"]


PAIR = "(int64[::1], int64[::1])"
PTX = [
    (reflected, "(float32, float32[:, ::1], float32[:, ::1])"),
    *((kernel, PAIR) for kernel in (behind_joins, neighbours, elected_of_four, added, grown, called, fenced)),
    *((kernel, "(int64[::1], int64[::1], int64[::1])") for kernel in (one_arm, added_in_an_arm, twice)),
    *((kernel, "(int64[:, ::1], int64[::1])") for kernel in (moving_index, carried, from_the_end)),
    (elected, "(int64[::1], int64[::1], int64[:, ::1])"),
    (kept, "(float16[::1], float16[::1])"),
    (narrowed, "(int8[::1], boolean[::1], int64[::1])"),
]


def run():
    random = np.random.default_rng(5)
    item = np.dtype([("a", np.int16), ("b", np.float64)])
    for n in (1, 31, 64, 100):
        for block in (32, 64, 17):
            grid = -(-n // block)
            x, flags, zeros = random.integers(0, 12, n), random.integers(0, 10, n), np.zeros(n, np.int64)
            table = random.integers(0, 12, (n, 4))
            position, velocity = random.integers(0, 100, (n, 3)), random.integers(-99, 99, (n, 3))
            check(reflected, grid, block, np.float32(0.5), position.astype(np.float32), velocity.astype(np.float32))
            check(behind_joins, grid, block, x, zeros)
            check(one_arm, grid, block, x, flags, zeros)
            check(added_in_an_arm, grid, block, x, flags, zeros)
            check(twice, grid, block, x, flags, zeros)
            check(twice, grid, block, x, x, zeros)
            for kernel in (moving_index, carried, from_the_end):
                if kernel is not from_the_end or n == 1:
                    check(kernel, grid, block, table, zeros)
            for kernel in (added, called, grown):
                check(kernel, grid, block, x, zeros)
            for kind in (np.float32, np.float16, np.complex64, np.int16):
                check(kept, grid, block, x.astype(kind), flags.astype(kind))
            i = np.arange(n)
            (small, flags, out) = launch(narrowed, grid, block, x.astype(np.int8), flags > 3, zeros)
            assert np.array_equal(small, (77 * i).astype(np.int8)) and np.array_equal(flags, small > 40)
            assert np.array_equal(out, small * np.int64(3) + 5 * flags)
            (items, out) = launch(of_records, grid, block, np.zeros(n, item), zeros)
            assert np.array_equal(items["a"], 3 * i) and np.array_equal(items["b"], np.where(i > 3, -3 * i, 3 * i))
            assert np.array_equal(out, 3 * i + items["b"])
    special = np.array([-0.0, np.nan, np.inf, -1.5] * 16, np.float32)
    check(kept, 2, 32, special, special.copy())
    check(fenced, 2, 64, np.zeros(128, np.int64), np.zeros(128, np.int64))
    if stand_in.is_under_test() or os.environ.get("TREADLE_CPU_LANES") == "16":
        return
    # On the CPU device the lanes of a vector store together: of the last of them is what all find.
    i = np.arange(64)
    (_, out) = launch(neighbours, 2, 32, np.zeros(65, np.int64), np.zeros(65, np.int64))
    assert np.array_equal(out[1:64][i[1:64] % 32 != 0], 99 + i[1:64][i[1:64] % 32 != 0])
    (_, _, out) = launch(elected, (1, 4), (32, 1), np.zeros(8, np.int64), np.zeros(4, np.int64),
                         np.zeros((4, 32), np.int64))  # fmt: skip
    assert np.array_equal(out, np.tile(1000 * (i[:32] // 4 * 4 + 3) + 31, (4, 1)))
    (_, out) = launch(elected_of_four, 2, 32, np.zeros(16, np.int64), np.zeros(64, np.int64))
    assert np.array_equal(out, i // 4 * 4 + 3)
