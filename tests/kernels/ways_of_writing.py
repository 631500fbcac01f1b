# What real kernels write: tuples of rows, windows as arguments, star-unpacked tuples, shared arrays looped over.
import numpy as np
from treadle import cuda, float64

from kernels.harness import check

RINGS = np.array([[[0, 1], [2, 3]], [[4, 5], [6, 7]]])
OFFSETS = ((-1, 0), (0, 1), (1, 1))


@cuda.jit(device=True)
def window_sum(window):
    total = 0
    for row in window:
        for value in row:
            total += value
    return total - window[1, 1] * window.shape[0] + window[-1][-1]


@cuda.jit(device=True)
def rotate(rows, x, y, z):
    first, second, third = rows
    return (
        first[0] * x + first[1] * y + first[2] * z,
        second[0] * x + second[1] * y + second[2] * z,
        third[0] * x + third[1] * y + third[2] * z,
    )


@cuda.jit(device=True)
def weighted(scale, *values):
    total = 0
    for k, value in enumerate(values):
        total += (k + 1) * value
    return total * scale


@cuda.jit
def stencil(a, out):
    i, j = cuda.grid(2)
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
        out[i, j] = window_sum(a[i - 1 : i + 2, j - 1 : j + 2])
        for di, dj in OFFSETS:
            out[i, j] += a[i + di, j + dj] * (di + 2)


@cuda.jit
def vectors(rotation, points, out):
    i = cuda.grid(1)
    if i < points.shape[0]:
        rows = (rotation[0, :], rotation[1, :], rotation[2, :])
        point = (points[i, 0], points[i, 1], points[i, 2])
        x, y, z = rotate(rows, *point)
        R = rows[0]  # noqa: N806
        out[i, 0] = R[-1] + weighted(2, x, y) + weighted(*point)
        R, G, B = x, y + 1, z  # noqa: N806
        out[i, 1], out[i, 2] = R * G, B
        state = out[i]
        state[0:2] = state[1], state[0]
        R = (R, (G, B))  # noqa: N806
        out[i, 3] = R[1][0] - R[0]


@cuda.jit
def globals_and_shared(x, out):
    t, i = cuda.threadIdx.x, cuda.grid(1)
    kept = cuda.shared.array(32, float64)
    kept[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if i < x.size:
        total = 0.0
        for value in kept:
            total += value
        for k, ring in enumerate(RINGS):
            total += ring[0][1] * k + ring[k, -1] + RINGS[k][1][0]
        max = x[i]  # hides the builtin
        out[i] = total if total > max else max


@cuda.jit
def complex_numbers(z, out):
    i = cuda.grid(1)
    if i + 1 < z.size and i % 2 == 0:
        z[i], z[i + 1] = z[i + 1] * 1j, z[i].conjugate() - 2j
        out[i] = abs(z[i]) ** 2 + (1j * z[i + 1]).imag
        out[i + 1] = (z[i] * z[i].conjugate()).real


PTX = [
    (stencil, "(int64[:, ::1], int64[:, ::1])"),
    (vectors, "(float64[:, :], float64[:, ::1], float64[:, ::1])"),
    (globals_and_shared, "(float64[::1], float64[::1])"),
    (complex_numbers, "(complex128[::1], float64[::1])"),
]


def run():
    a = np.arange(13 * 11).reshape(13, 11) * 7 % 31
    check(stencil, (2, 2), (8, 8), a, np.zeros_like(a))
    rotation = np.arange(9.0).reshape(3, 3)
    points = np.arange(77 * 3.0).reshape(77, 3) % 17
    check(vectors, 3, 32, rotation, points, np.zeros((77, 4)))
    check(vectors, 3, 32, rotation.T, points[::-1], np.zeros((77, 4)))
    check(globals_and_shared, 3, 32, np.arange(77.0) % 13, np.zeros(77))
    z = np.arange(78) % 9 + 1j * (np.arange(78) % 7)
    check(complex_numbers, 3, 32, z, np.zeros(78), rtol=1e-14)
