# Rows and columns of a flat index by `//` and `%`: warps within one row run other code than those across rows.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def transposed(height, width, x, out):
    i = cuda.grid(1)
    if i < height * width:
        row = i // width
        column = i % width
        out[column, row] = x[row, column] + row


@cuda.jit
def inner(height, width, x, out):
    """Conditions on rows and columns; the variables are used after the arms."""
    i = cuda.grid(1)
    if i >= height * width:
        return
    y, x_ = i // width, i % width
    flat = 0.0
    if 0 < x_ < width - 1 and 0 < y < height - 1:
        flat = x[y, x_ - 1] + x[y, x_ + 1] + x[y - 1, x_] + x[y + 1, x_]
    elif x_ == 0:
        flat = -1.0
    out[y, x_] = flat + 10 * x_ + y


@cuda.jit
def volume(height, width, x, out):
    start, step = cuda.grid(1), cuda.gridsize(1)
    for i in range(start, out.size, step):
        z = i // (height * width)
        y = i // width % height
        out[i] = x[z, y, i % width] * (i % (height * width) + 1)


@cuda.jit
def some(width, out):
    """The first thread of the first warp is not among those that divide: its dividend is negative."""
    i = cuda.grid(1)
    if i >= 13 and i < out.size:
        j = i - 13
        out[i] = j // width * 1000 + j % width


@cuda.jit
def backwards(width, out):
    i = cuda.grid(1)
    if i < 200:
        j = 199 - i
        out[i] = j // width * 1000 + j % width


@cuda.jit
def chosen(chosen, width, out):
    i = cuda.grid(1)
    if i < out.size and chosen[i]:
        out[i] = i // width * 1000 + i % width


@cuda.jit
def of_each(widths, out):
    """The divisor differs between threads."""
    i = cuda.grid(1)
    if i < out.size:
        width = widths[i]
        out[i] = i // width * 1000 + i % width


@cuda.jit
def narrow(width, out):
    """Of 32 bits, and a remainder that wraps."""
    i = np.int32(cuda.grid(1))
    w = np.int32(width)
    if i < out.size:
        column = i % w
        out[i] = i // w * np.int32(1000) + (column + 1) % w


@cuda.jit
def next_rows(width, out):
    """The divisor changes in between, and from iteration to iteration."""
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        for k in range(3):
            total += i // width * (k + 1)
            width += 7
            total += i % width
        out[i] = total


@cuda.jit
def by_hand(width, out):
    """Remainders as differences, of the quotient and of others; constants, too."""
    i = cuda.grid(1)
    if i < out.size:
        row = i // width
        column = i - row * width
        other = i - row * 3 + (column - row * width)
        minutes = i // 60
        seconds = i - 60 * minutes
        hours = minutes // 24
        out[i] = column * 10**6 + other * 10**4 + seconds + (minutes - hours * 24) * 100 + (i - 7 * (i // 7))


@cuda.jit
def by_hand_in_rounds(width, out):
    """The quotient of the round before, and one that is assigned in one arm only."""
    row = quotient = 0
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        column = i - row * width + i - quotient * 60
        row = i // width
        quotient = i // 60
        if i % 3:
            other = i // 9
        else:
            other = 2
        out[i] = column * 1000 + i - other * 9 + (i - row * width)


IMAGE = "(int64, int64, float64[:, ::1], float64[:, ::1])"
PTX = [
    (by_hand, "(int64, int64[::1])"),
    (by_hand_in_rounds, "(int64, int64[::1])"),
    (transposed, IMAGE),
    (inner, IMAGE),
    (volume, "(int64, int64, float64[:, :, ::1], float64[::1])"),
    (some, "(int64, int64[::1])"),
    (backwards, "(int64, int64[::1])"),
    (chosen, "(boolean[::1], int64, int64[::1])"),
    (of_each, "(int64[::1], int64[::1])"),
    (narrow, "(int64, int32[::1])"),
    (next_rows, "(int64, int64[::1])"),
]


def run():
    random = np.random.default_rng(5)
    for height, width in ((3, 200), (40, 7), (9, 32), (8, 33), (1, 300), (300, 1), (5, 64)):
        x = random.random((height, width))
        count = height * width
        for block in (32, 64, 17):
            grid = -(-count // block)
            check(transposed, grid, block, height, width, x, np.zeros((width, height)))
            check(inner, grid, block, height, width, x, np.zeros_like(x))
            check(volume, 3, block, height, width, np.stack([x, x + 1]), np.zeros(2 * count))
            out = np.zeros(count, np.int64)
            check(some, grid, block, width, out)
            for part in (0.02, 0.9):
                check(chosen, grid, block, random.random(count) < part, width, out)
            check(of_each, grid, block, np.full(count, width), out)
            check(of_each, grid, block, random.integers(1, width + 1, count), out)
            check(narrow, grid, block, width, np.zeros(count, np.int32))
            check(next_rows, grid, block, width, out)
            check(by_hand, grid, block, width, out)
            check(by_hand_in_rounds, 3, block, width, out)
    out = np.zeros(200, np.int64)
    for width in (1, 32, 45, 90, 201):
        check(backwards, 7, 32, width, out)
    # Python's division by negative numbers.
    for width in (-1, -3, -50, -1000):
        check(backwards, 7, 32, width, out)
        check(some, 7, 32, width, out)
        check(by_hand, 7, 32, width, out)
        check(of_each, 7, 32, np.full(200, width), out)
