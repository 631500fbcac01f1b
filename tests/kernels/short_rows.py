# Arrays whose rows have few elements, as of points, colours and matrices: launches with rows of other lengths, rows
# passed on and reassigned, and elements of all sizes.
import math

import numpy as np
from treadle import cuda, float32

from kernels.harness import check, launch


@cuda.jit
def moved(dt, position, velocity):
    i = cuda.grid(1)
    if i < position.shape[0]:
        for axis in range(3):
            position[i, axis] += velocity[i, axis] * dt


@cuda.jit
def nearest(points, where, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for axis in range(points.shape[1]):
            away = points[i, axis] - where[axis]
            total += away * away
        out[i] = total


@cuda.jit
def reversed_rows(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i, 0] = x[i, -1]
        out[i, -1] = x[i, 0] + x.shape[1]


@cuda.jit
def products(a, b, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        for r in range(a.shape[1]):
            for c in range(b.shape[2]):
                total = 0.0
                for k in range(a.shape[2]):
                    total += a[i, r, k] * b[i, k, c]
                out[i, r, c] = total


@cuda.jit(device=True)
def length_of(vectors, i):
    return math.sqrt(vectors[i, 0] ** 2 + vectors[i, 1] ** 2 + vectors[i, 2] ** 2)


@cuda.jit(device=True)
def sum_of(row):
    return row[0] + row[1] * row.shape[0]


@cuda.jit
def normalised(vectors, sums):
    i = cuda.grid(1)
    if i < vectors.shape[0]:
        length = length_of(vectors, i)
        row = vectors[i]
        sums[i] = sum_of(row)
        row[0] /= length
        row[1] /= length
        row[2] /= length


@cuda.jit
def first_or_second(x, y, first, out):
    """A parameter that is assigned has the length of either."""
    i = cuda.grid(1)
    if i < out.size:
        if not first:
            x = y
        total = x[i, 0]
        for k in range(1, x.shape[1]):
            total = total * 10 + x[i, k]
        out[i + 3 - x.shape[1]] = total


@cuda.jit
def behind_others(pair, scale, nothing, a, b):
    """Items of tuples and None have a place among the arguments too."""
    i = cuda.grid(1)
    if nothing is None and i < a.shape[0]:
        for k in range(a.shape[1]):
            a[i, k] = pair[1][i, 1] * scale + a[i, k] + b[i, 2]
        b[i, 0] = pair[0][i, 0]


@cuda.jit
def swapped(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        first = x[i, 0]
        x[i, 0] = x[i, 1]
        x[i, 1] = first


@cuda.jit
def counted(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        cuda.atomic.add(x, (i, 1), 2)
        x[i // 2, 0] = 7


@cuda.jit
def among_items(out):
    """Each thread's own items of shared memory, next to each other."""
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    for k in range(4):
        tile[k * 64 + t] = k * 64 + t
    cuda.syncthreads()
    total = float32(0)
    for k in range(4):
        total += tile[t * 4 + k]
        tile[t * 4 + k] = total
    cuda.syncthreads()
    for k in range(4):
        out[k * 64 + t] = tile[k * 64 + t]


@cuda.jit
def pixels(image, out):
    column, row = cuda.grid(2)
    cuda.syncthreads()  # so that a warp is some rows of its block
    out[row, column, 0] = image[row, column, 2]
    out[row, column, 1] = image[row, column, 0] + image[row, column, 1]


@cuda.jit
def stored_and_loaded(x, second, out):
    """Elements that have just been stored, and others between them."""
    tile = cuda.shared.array((64, 4), float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    for k in range(4):
        tile[t, k] = x[i, k]
    tile[t, 1] = tile[t, 0] + 1
    tile[t, 2] = tile[t, 1] * 10
    tile[t, 0] = tile[t, second] + tile[t, 3]
    x[i, 1] = 7
    out[i] = tile[t, 0] * 100 + tile[t, 2] + x[i, second] + x[i, 0]


@cuda.jit
def by_some_lanes(x):
    """Which lanes store is a constant; what is loaded then lies beside it."""
    i = cuda.grid(1)
    if cuda.laneid > 3:
        x[i, 1] = 5
    x[i, 3] = x[i, 2] + x[i, 0]


@cuda.jit
def tallied(records):
    i = cuda.grid(1)
    if i < records.size:
        records[i].x += records[i].z
        records[i].z = i


PTX = [
    (moved, "(float32, float32[:, ::1], float32[:, ::1])"),
    (products, "(float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1])"),
    (normalised, "(float32[:, ::1], float32[::1])"),
    (first_or_second, "(int64[:, ::1], int64[:, ::1], boolean, int64[::1])"),
]

XYZ = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32)])
KINDS = ["int8", "uint16", "int32", "float32", "float64", "int64", "complex64", "complex128", "bool"]


@cuda.jit
def stored_before(x, out):
    """Rounds of a loop read what the round before has stored, in a column of which nobody knows at compile time."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = 0
        for k in range(3):
            x[i, k] = i % 50 + k + 3
            total = total * 100 + x[i, (k + 2) % 3]
        out[i] = total


def numbers(*shape, dtype=np.float32):
    generator = np.random.default_rng(sum(shape))
    return generator.integers(1, 90, shape).astype(dtype)


def run():
    for n in (1, 31, 32, 64, 100, 1000):
        blocks = -(-n // 64)
        check(moved, blocks, 64, np.float32(0.5), numbers(n, 3), numbers(n, 3))
        for width in (1, 2, 3, 4, 5, 8, 9, 16, 17):
            check(nearest, blocks, 64, numbers(n, width), numbers(width), np.zeros(n, np.float32))
            if width > 2:
                check(stored_before, blocks, 64, numbers(n, width), np.zeros(n))
            check(reversed_rows, blocks, 64, numbers(n, width), numbers(n, max(width - 1, 1)))
    for widths in ((2, 2, 2), (3, 3, 3), (4, 4, 4), (2, 3, 5), (17, 1, 2), (16, 17, 3)):
        r, k, c = widths
        a, b = numbers(70, r, k, dtype=float), numbers(70, k, c, dtype=float)
        check(products, 3, 32, a, b, np.zeros((70, r, c)))
    vectors = numbers(300, 3)
    found, sums = launch(normalised, 3, 128, vectors, np.zeros(300, np.float32))
    np.testing.assert_allclose(found, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_array_equal(sums, vectors[:, 0] + 3 * vectors[:, 1])
    for first in (True, False):
        out = np.zeros(101, int)[1:]
        check(first_or_second, 2, 64, numbers(100, 3, dtype=int), numbers(100, 4, dtype=int), first, out)
    for width in (2, 4):
        pair = numbers(70, 2), numbers(70, 3)
        a, b = numbers(70, width), numbers(70, 5)
        _, _, _, changed, others = launch(behind_others, 3, 32, pair, np.float32(2), None, a, b)
        np.testing.assert_array_equal(changed, pair[1][:, 1:2] * 2 + a + b[:, 2:3])
        np.testing.assert_array_equal(others, np.column_stack([pair[0][:, 0], b[:, 1:]]))
    for dtype in KINDS:
        for width in (2, 3, 4, 7, 8, 15):
            check(swapped, 4, 64, numbers(200, width, dtype=dtype))
    check(counted, 4, 64, numbers(200, 3, dtype=np.int32))
    (out,) = launch(among_items, 1, 64, np.zeros(256, np.float32))
    np.testing.assert_array_equal(out, np.arange(256, dtype=np.float32).reshape(64, 4).cumsum(axis=1).ravel())
    for block in ((4, 8), (8, 4), (16, 4), (32, 2)):
        image = numbers(16, 96, 3)
        _, out = launch(pixels, (96 // block[0], 16 // block[1]), block, image, np.zeros((16, 96, 4), np.float32))
        expected = np.stack([image[..., 2], image[..., 0] + image[..., 1]], axis=-1)
        np.testing.assert_array_equal(out, np.concatenate([expected, np.zeros((16, 96, 2), np.float32)], axis=-1))
    for width in (4, 8):
        x = numbers(128, width)
        (changed,) = launch(by_some_lanes, 2, 64, x)
        expected = x.copy()
        expected[np.arange(128) % 32 > 3, 1] = 5
        expected[:, 3] = x[:, 2] + x[:, 0]
        np.testing.assert_array_equal(changed, expected)
    x = numbers(128, 4)
    for second in (0, 1, 2, 3):
        changed, _, out = launch(stored_and_loaded, 2, 64, x, second, np.zeros(128, np.float32))
        tile = np.column_stack([x[:, 0], x[:, 0] + 1, 10 * (x[:, 0] + 1), x[:, 3]])
        expected = (tile[:, second] + tile[:, 3]) * 100 + tile[:, 2] + changed[:, second] + x[:, 0]
        np.testing.assert_array_equal(out, expected)
        assert (changed[:, 1] == 7).all()
    records = numbers(100, 3).view(XYZ)[:, 0]
    (changed,) = launch(tallied, 2, 64, records)
    expected = np.column_stack([records["x"] + records["z"], records["y"], np.arange(100, dtype=np.float32)])
    np.testing.assert_array_equal(changed.view(np.float32).reshape(-1, 3), expected)
