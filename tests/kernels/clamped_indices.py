# Indices within bounds by `min`, `max` and `%`: warps within them run other code than those at the edges.
import numpy as np
from treadle import cuda

from kernels.harness import check, launch


@cuda.jit
def blurred(x, out):
    column, row = cuda.grid(2)
    rows, columns = x.shape
    if row < rows and column < columns:
        total = 0.0
        for dy in range(-2, 3):
            for dx in range(2, -3, -1):
                a = min(max(row - dy, 0), rows - 1)
                b = max(min(columns - 1, column + dx), 0)
                total += x[a, b] * (dx + 3)
        out[row, column] = total


@cuda.jit
def torus(x, out):
    column, row = cuda.grid(2)
    rows, columns = x.shape
    if row < rows and column < columns:
        count = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                if dy != 0 or dx != 0:
                    count += x[(row + dy) % rows, (column + dx) % columns]
        out[row, column] = count


@cuda.jit
def neighbours(x, out):
    i = cuda.grid(1)
    n = x.shape[0]
    if i < n:
        left = x[(i - 1) % n]
        right = x[(i + 1) % n]
        beyond = x[min(i + 5, n - 1)]
        before = x[max(i - 3, 0)]
        out[i] = left + 2 * right + 4 * beyond + 8 * before


@cuda.jit
def rolled(x, shift, out):
    """The shift is known at run time only, may be larger than the array, and its sum with an index may wrap."""
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 2 * x[(i + shift) % x.size] + x[max(min(i + shift, x.size - 1), 0)]


@cuda.jit
def with_exits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = 0
        for d in range(9):
            k = min(i + d, x.size - 1)
            if x[k] == 3:
                continue
            if x[k] == 7:
                break
            if x[k] == 9:
                out[i] = -total
                return
            total += x[k]
        out[i] = total


@cuda.jit
def moving(x, out):
    """What is added to changes in the loop, and so does the variable of a loop."""
    i = cuda.grid(1)
    if i < x.size:
        at, bound, total = i, x.size - 1, 0
        for d in range(-2, 3):
            total += x[min(max(at + d, 0), x.size - 1)]
            at += 1
            total += x[min(max(i + d, 0), bound)]
            bound = max(bound - 1, 0)
            for k in range(3):
                k += d
                total += x[max(min(i + k, x.size - 1), 0)]
        out[i] = total


@cuda.jit
def closing(x, out):
    """The bound changes in the loop."""
    i = cuda.grid(1)
    if i < x.size:
        bound, total = x.size - 1, 0
        for d in range(-2, 3):
            total += x[min(max(i + d, 0), bound)]
            bound = max(bound - 7, 0)
        out[i] = total


@cuda.jit
def of_run_time(x, first, last, out):
    i = cuda.grid(1)
    if i < x.size:
        total = 0
        for d in range(first, last):
            total += x[min(max(i + d, 0), x.size - 1)]
        out[i] = total


@cuda.jit
def used_behind(x, out):
    """The last index is used after the loop, and one that exists in some threads only before it."""
    i = cuda.grid(1)
    if i < x.size:
        k = 0
        if i % 3 == 0:
            own = i + 1
        for d in range(-1, 2):
            k = min(max(i - d, 0), x.size - 1)
            if i % 3 == 0:
                out[i] += x[min(own, x.size - 1)]
            out[i] += x[k]
        out[i] += 100 * k


@cuda.jit
def used_behind_a_run(x, out):
    """As above, where statements without a loop run without the clamps."""
    i = cuda.grid(1)
    if i < x.size:
        left = max(i - 1, 0)
        out[i] = x[left] + 2 * x[min(i + 1, x.size - 1)]
        if x[i] > 5:
            out[i] += 100 * left
            while left > 1:
                left //= 3
                out[i] += left


@cuda.jit
def near_the_ends(x, base, out):
    """Differences that wrap."""
    i = cuda.grid(1)
    if i < x.size:
        at = base - i
        out[i] = x[max(min(at + 5, x.size - 1), 0)] + 2 * x[(at + 1) % x.size]


@cuda.jit
def sums_near_the_ends(x, base, out):
    """Some of the sums wrap."""
    i = cuda.grid(1)
    if i < x.size:
        at, total = base - i, 0
        for d in range(-2, 40):
            total += x[max(min(at + d, x.size - 1), 0)]
        out[i] = total


@cuda.jit
def guarded_near_the_ends(x, first, out):
    """The smallest sums would wrap with values of the loop's variable that the guard keeps from them."""
    i = cuda.grid(1) + first
    total = 0
    if i > 2:
        for d in range(-3, 4):
            if d < 1:
                total += x[min(i + d, x.size - 1)]
    elif i < -3:
        for d in range(-3, 4):
            if d > -1:
                total += x[max(i + d, 0)]
    out[cuda.grid(1)] = total


@cuda.jit
def carried(x, out):
    """What one run of a loop leaves to the next, which needs the bounds though the first did not."""
    i = cuda.grid(1)
    if i < x.size:
        t, last = 0, x[i]
        while t < 8:
            for d in range(2):
                v = x[max(i + d - t, 0) if i + d - t < x.size else 0]
                if t == 0 and d == 0:
                    since = v
                w = x[min(max(i + d - t, 0), x.size - 1)]
                out[i] += abs(w - last) + 100 * abs(v - since)
                last = w
                since = v
            t += 1


@cuda.jit
def short(x, out):
    i = np.int32(cuda.grid(1))
    n = np.int32(x.size)
    if i < n:
        out[i] = x[min(max(i - np.int32(1), np.int32(0)), n - np.int32(1))] + x[(i + np.int32(2)) % n]


@cuda.jit
def halo(x, out):
    tile = cuda.shared.array(66, np.float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    for k in range(2):
        j = min(max(i + k * 2 - 1, 0), x.size - 1)
        tile[t + 2 * k] = x[j]
        cuda.syncthreads()
    if i < x.size:
        out[i] = tile[t] + tile[t + 2]


def guarded(x, i):
    steps = range(-3, 1) if i > 2 else range(4) if i < -3 else ()
    return sum(int(x[min(max(int(i) + d, 0), x.size - 1)]) for d in steps)


FLAT = "(float64[::1], float64[::1])"
PTX = [
    (blurred, "(float64[:, ::1], float64[:, ::1])"),
    (torus, "(int32[:, ::1], int32[:, ::1])"),
    (rolled, "(float64[::1], int64, float64[::1])"),
    *(
        (kernel, FLAT)
        for kernel in (neighbours, with_exits, moving, closing, used_behind, used_behind_a_run, carried, halo)
    ),
    (of_run_time, "(int64[::1], int64, int64, int64[::1])"),
    *(
        (kernel, "(int64[::1], int64, int64[::1])")
        for kernel in (near_the_ends, sums_near_the_ends, guarded_near_the_ends)
    ),
    (short, "(int64[::1], int64[::1])"),
]


def run():
    random = np.random.default_rng(4)
    for shape in ((1, 1), (2, 3), (5, 40), (37, 33), (40, 100)):
        image = random.integers(0, 9, shape)
        for block in ((16, 16), (32, 2), (8, 4), (5, 3)):
            grid = tuple(-(-size // b) for size, b in zip(shape[::-1], block))
            check(blurred, grid, block, image.astype(np.float64), np.zeros(shape))
            check(torus, grid, block, image.astype(np.int32), np.zeros(shape, np.int32))
    for n in (1, 2, 31, 32, 70, 200):
        x = random.integers(0, 12, n)
        for block in (32, 64, 17):
            grid = -(-n // block)
            for kernel in (neighbours, with_exits, moving, closing, used_behind, used_behind_a_run, carried, short):
                check(kernel, grid, block, x, np.zeros_like(x))
            check(of_run_time, grid, block, x, -2, 3, np.zeros_like(x))
            i, at_ends = np.arange(n), lambda k, n=n: np.clip(k, 0, n - 1)
            for number in (0, 1, n, 40, -33, 1000, -(2**63), 2**63 - 1):
                up, down = i + np.int64(number), np.int64(number) - i  # these wrap as the kernels' do
                (_, _, out) = launch(rolled, grid, block, x, number, np.zeros_like(x))
                assert np.array_equal(out, 2 * x[up % n] + x[at_ends(up)]), number
                (_, _, out) = launch(near_the_ends, grid, block, x, number, np.zeros_like(x))
                assert np.array_equal(out, x[at_ends(down + 5)] + 2 * x[(down + 1) % n]), number
                (_, _, out) = launch(sums_near_the_ends, grid, block, x, number, np.zeros_like(x))
                assert np.array_equal(out, sum(x[at_ends(down + d)] for d in range(-2, 40))), number
                (_, _, out) = launch(guarded_near_the_ends, grid, block, x, number, np.zeros(grid * block, x.dtype))
                assert np.array_equal(out[:n], [guarded(x, k) for k in up]), number
    x, i = random.integers(0, 12, 200).astype(np.float64), np.arange(200)
    (_, out) = launch(halo, 4, 64, x, np.zeros_like(x))
    assert np.array_equal(out, x[np.maximum(i - 1, 0)] + x[np.minimum(i + 1, 199)])
