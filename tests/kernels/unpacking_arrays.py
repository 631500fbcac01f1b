# Arrays, rows, slices and ranges unpacked into names, elements, fields and nested targets.
import numpy as np
from treadle import cuda, float32, float64

from kernels.harness import check

COLOURS = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


@cuda.jit
def rows(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        a, b, c = x[i]
        (d, e), [f] = x[i, :2], x[i, 2:]
        x[i, 0], x[i, 2] = x[i, 2], x[i, 0]
        a, b = b, a
        out[i, 0] = a * 100 + b * 10 + c
        out[i, 1] = d * 100 + e * 10 + f
        out[i, 2], out[i, 3], (out[i, 4], out[i, 5]) = x[i, 0], x[i, 1], (x[i, 2], c)


@cuda.jit
def columns(image, out):
    i = cuda.grid(1)
    if i < image.shape[1]:
        (r, g, b) = image[4:7, i]
        last, first = image[:: image.shape[0] - 1, i][::-1]
        out[i] = r + 2 * g + 4 * b + last * first


@cuda.jit
def matrix(rotation, x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        R0, R1, R2 = rotation[0, :], rotation[1, :], rotation[2, :]  # noqa: N806
        p, q, r = rotation
        (a, b, c), _, (_, _, d) = rotation
        for k in range(3):
            out[i, 0] += R0[k] * x[i, k] - p[k]
            out[i, 1] += R1[k] * x[i, k] - q[k]
            out[i, 2] += R2[k] * x[i, k] - r[k]
        out[i, 3] = a + 10 * b + 100 * c + 1000 * d


@cuda.jit
def rows_of_written_arrays(x):
    """A row is a view: the name sees later writes. The values of a swap are read before any is written."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        first, second = x[i]
        first[0], second[0] = second[0], first[0]
        first[1] += second[1]
        second[1], first[1], first[2] = first[2], second[2], first[1]


@cuda.jit
def under_masks(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = 0.0
        if i % 3 == 0:
            a, b, c = x[i]
        elif i % 3 == 1:
            c, b, a = x[0]
        else:
            a, b, c = COLOURS[i % 2]
        for k in range(i % 5):
            a, b = b, a + k
            if a > 20:
                break
        total += a + 2 * b + 4 * c
        out[i] = total


@cuda.jit
def local_and_shared(x, out):
    pair = cuda.local.array(2, float64)
    shared = cuda.shared.array((64, 2), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    pair[0], pair[1] = i, 2 * i + 1
    shared[t, 0], shared[t, 1] = pair
    cuda.syncthreads()
    u, v = shared[cuda.blockDim.x - 1 - t]
    pair[1], pair[0] = pair
    if i < x.size:
        w, z = pair
        out[i] = u + 3 * v + 5 * w + 7 * z + x[i]


@cuda.jit
def ranges(start, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        a, b, c = range(3)
        d, (e, f) = range(start, start + 2)[1], range(start + i, start - i - 2, -i - 1)
        out[i, 0] = a * 100 + b * 10 + c
        out[i, 1], out[i, 2] = d, e * 100 + f
        out[i, 3], out[i, 4] = range(i, i + 2)


@cuda.jit
def chained(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        a, b = c, d = x[i, :2]
        e = f, g = x[i, 1], x[i, 2]
        out[i] = a + 2 * b + 4 * c + 8 * d + 16 * e[0] + 32 * e[1] + 64 * f + 128 * g


PTX = [
    (rows, "(float64[:, ::1], float64[:, ::1])"),
    (columns, "(float32[:, :], float32[::1])"),
    (matrix, "(float64[:, :], float64[:, ::1], float64[:, ::1])"),
    (rows_of_written_arrays, "(int64[:, :, :],)"),
    (under_masks, "(float32[:, ::1], float64[::1])"),
    (local_and_shared, "(float64[::1], float64[::1])"),
    (ranges, "(int64, int64[:, ::1])"),
    (chained, "(int64[:, ::1], int64[::1])"),
]


def run():
    n = 77
    x = np.arange(n * 3.0).reshape(n, 3) % 17
    check(rows, 3, 32, x, np.zeros((n, 6)))
    check(rows, 3, 32, np.asfortranarray(x)[::-1], np.zeros((n, 6)))
    image = (np.arange(8 * n) % 13).reshape(8, n).astype(np.float32)
    check(columns, 3, 32, image, np.zeros(n, np.float32))
    check(columns, 2, 64, image[:, ::-2], np.zeros((n + 1) // 2, np.float32))
    rotation = np.arange(9.0).reshape(3, 3)
    check(matrix, 3, 32, rotation, x, np.zeros((n, 4)))
    check(matrix, 3, 32, rotation.T, x, np.zeros((n, 4)))
    check(rows_of_written_arrays, 3, 32, np.arange(n * 6).reshape(n, 2, 3))
    check(under_masks, 3, 32, x.astype(np.float32), np.zeros(n))
    check(local_and_shared, 2, 64, np.arange(100.0), np.zeros(100))
    check(ranges, 3, 32, 5, np.zeros((n, 5), np.int64))
    check(chained, 3, 32, np.arange(n * 3).reshape(n, 3), np.zeros(n, np.int64))
