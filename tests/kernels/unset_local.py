# A local variable that nothing was assigned to on the path is zero, of every type and across whatever waits.
import enum
from collections import namedtuple

import numpy as np
from treadle import cuda, float32

from kernels.harness import launch

Pair = namedtuple("Pair", ["at", "weight"])


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


@cuda.jit(device=True)
def select(condition, a, b):
    return a if condition else b


@cuda.jit(device=True)
def twice_if(condition, value):
    """Called again and again: what an earlier call assigned is not there."""
    if condition:
        kept = 2 * value
    return kept


@cuda.jit(device=True)
def met(condition, value):
    if condition:
        kept = value + 1
    cuda.syncthreads()
    return kept


@cuda.jit
def sometimes(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if x[i] > 3:
            bonus = x[i] * 2
        out[i] = select(x[i] > 3, bonus, -1) + 100 * bonus


@cuda.jit
def called(x, out):
    i = cuda.grid(1)
    if i < x.size:
        for k in range(3):
            out[i] += twice_if(x[i] == k, x[i] + k)


@cuda.jit
def numbers(x, out):
    i = cuda.grid(1)
    if i < x.shape[0] and x[i] > 3:
        flag, byte, half, single, double = x[i] > 3, np.uint8(x[i]), np.float16(x[i]), float32(x[i]), x[i] / 3
        root, pair, nested = x[i] * 1j, (x[i], 0.5), ((x[i], x[i] > 3), 2.5j)
        named, level, day = Pair(i, 0.25), Level.HIGH, np.timedelta64(x[i], "s")
        maybe = x[i]
    cuda.syncthreads()
    if i < x.shape[0]:
        out[i, 0] = flag
        out[i, 1] = byte
        out[i, 2] = half
        out[i, 3] = single
        out[i, 4] = double
        out[i, 5] = root.real + root.imag
        out[i, 6] = pair[0] + pair[1]
        out[i, 7] = nested[0][0] + nested[0][1] + nested[1].imag
        out[i, 8] = named.at + named.weight
        out[i, 9] = level == Level.HIGH
        out[i, 10] = np.int64(day / np.timedelta64(1, "s"))
        out[i, 11] = maybe


@cuda.jit
def arrays(x, out):
    """An array without elements."""
    i = cuda.grid(1)
    if i < x.shape[0] and x[i, 0] > 3:
        row, some = x[i], x[i, ::2]
    cuda.syncthreads()
    if i < x.shape[0]:
        out[i] = row.size + 10 * some.size
        for value in row:
            out[i] += value
        for value in some:
            out[i] += value


@cuda.jit
def of_loops(x, out):
    i = cuda.grid(1)
    if i < x.size:
        for k in range(x[i] - 2):
            last = k + x[i]
        out[i] = 10 * k + last
        while True:
            ended = x[i] > 5
            if ended or x[i] < 3:
                break
            found = x[i]
            break
        out[i] += 1000 * ended + 10000 * found


@cuda.jit
def several_barriers(x, out, high):
    """As programs of molecular dynamics do it: what one thread finds in a list is used two barriers later."""
    shared = cuda.shared.array(64, np.float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    shared[t] = x[i, 0]
    cuda.syncthreads()
    for k in range(x.shape[1]):
        if x[i, k] == 7:
            place = cuda.atomic.add(high, 1, 1)
            weight = shared[t ^ 1] * 0.5
    cuda.syncthreads()
    if place > 0:
        cuda.atomic.max(high, 0, place)
    shared[t] = weight
    cuda.syncthreads()
    out[i] = place + weight + shared[63 - t] + met(x[i, 0] == 7, x[i, 0])


@cuda.jit
def in_fibers(x, out):
    """Threads of a block wait at different barriers."""
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t % 2 == 0:
        if x[i, 0] == 7:
            mine = x[i, 1] + 1
        cuda.syncthreads()
        out[i] = mine
    else:
        if x[i, 0] == 7:
            yours = x[i, 1] + 2.5
        cuda.syncthreads()
        out[i] = yours
    cuda.cg.this_grid().sync()
    if out[i] > 3:
        late = out[i]
    cuda.cg.this_grid().sync()
    out[i] += late


@cuda.jit
def dirty(x):
    """Leaves its numbers in the memory that blocks have for their variables."""
    i = cuda.grid(1)
    a, b, c, d = x[i] * 1e9, x[i] + 0.5, int(x[i] * 1e18), x[i] > 0
    cuda.syncthreads()
    x[i] = a + b + c + d
    kept = cuda.local.array(64, np.float64)
    for k in range(64):
        kept[k] = x[i] * 1e9 + k
    cuda.syncthreads()
    for k in range(64):
        x[i] += kept[(k * 7) % 64]


PTX = [
    (sometimes, "(int64[::1], int64[::1])"),
    (called, "(int64[::1], int64[::1])"),
    (numbers, "(int64[::1], float64[:, ::1])"),
    (arrays, "(int64[:, ::1], int64[::1])"),
    (of_loops, "(int64[::1], int64[::1])"),
    (several_barriers, "(int64[:, ::1], float64[::1], int64[::1])"),
    (in_fibers, "(int64[:, ::1], float64[::1])"),
]


def check_numbers(x):
    _, out = launch(numbers, 4, 64, x, np.full((x.size, 12), -1.0))
    i = np.arange(x.size)
    want = [np.ones_like(x), x, x, x, x / 3, x, x + 0.5, x + 3.5, i + 0.25, np.ones_like(x), x, x]
    want[3], want[2] = x.astype(np.float32), x.astype(np.float16)
    np.testing.assert_array_equal(out, np.where(x > 3, want, 0).T)


def run():
    x = np.arange(200) % 8
    for _ in range(3):
        launch(dirty, 4, 64, np.random.default_rng(3).random(256))
        _, out = launch(sometimes, 7, 32, x, np.zeros_like(x))
        np.testing.assert_array_equal(out, np.where(x > 3, 202 * x, -1))
        _, out = launch(called, 7, 32, x, np.zeros_like(x))
        np.testing.assert_array_equal(out, np.where(x < 3, 4 * x, 0))
        check_numbers(x)
        rows = x[:, None] + np.arange(5)
        _, out = launch(arrays, 4, 64, rows, np.full_like(x, -1))
        np.testing.assert_array_equal(out, np.where(x > 3, 35 + rows.sum(1) + rows[:, ::2].sum(1), 0))
        _, out = launch(of_loops, 7, 32, x, np.full_like(x, -1))
        rounds = np.where(x > 2, 10 * (x - 3) + x - 3 + x, 0)
        np.testing.assert_array_equal(out, rounds + 1000 * (x > 5) + 10000 * np.where((x > 2) & (x < 6), x, 0))
        sparse = np.zeros((128, 5), np.int64)
        for kernel in (several_barriers, in_fibers):
            out = launch(
                kernel, 2, 64, sparse, np.full(128, -1.0), *[np.zeros(2, np.int64)] * (kernel is several_barriers)
            )
            assert not out[1].any(), (kernel, out[1])
        sparse[3] = 7
        _, out, high = launch(several_barriers, 2, 64, sparse, np.zeros(128), np.zeros(2, np.int64))
        assert (high == [4, 5]).all() and (np.flatnonzero(out) == [3]).all() and out[3] == 12, (high, out)
        _, out = launch(in_fibers, 2, 64, sparse, np.zeros(128))
        assert (np.flatnonzero(out) == [3]).all() and out[3] == 19, out
