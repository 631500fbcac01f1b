# Rows of arrays in variables: the rows of a warp's threads are one apart, by a stride that is known at run time only.
import numpy as np
from treadle import cuda, float64

from kernels.harness import check

BLOCK = 64


@cuda.jit
def across_barriers(a, out):
    part = cuda.shared.array(BLOCK, float64)
    i, tid = cuda.grid(1), cuda.threadIdx.x
    row = a[i % a.shape[0]]
    own, moved = a[i], a[i - 3]
    for k in range(3):
        moved = a[i - k]
    part[tid] = row[0] * 2.0 + own[1]
    cuda.syncthreads()
    own[2] = part[BLOCK - 1 - tid] + own[0]
    cuda.syncthreads()
    out[i] = row[3] + own[2] + part[tid ^ 1] + moved[1] * 0.25


@cuda.jit
def chosen(a, out):
    """One row or another, in some lanes or by all; the next row in each round."""
    i = cuda.grid(1)
    if i < out.size:
        row = a[i]
        total = row[0]
        if i % 3 == 0:
            row = a[out.size - 1 - i]
        total += 10.0 * row[1]
        total += every_third(a, i, 1)
        for k in range(3):
            total += row[k]
            row = a[(i + k) % out.size]
        every = a[i]
        for k in range(2):
            total += every[k] * 100.0
            every = a[i + k - 1]
        other = a[i]
        if out.size > 50:
            other = a[2 * i % out.size]
        out[i] = total + other[3] * 0.5


@cuda.jit(device=True)
def every_third(a, i, k):
    row = a[i]
    return row[(k + i * 3) % 4] * 7.0


@cuda.jit
def planes(a, out):
    """Rows of planes of which a device function takes elements."""
    i = cuda.grid(1)
    if i < out.size:
        plane = a[i]
        out[i] = trace(plane) + plane[1][0] - diagonal(a, i)


@cuda.jit(device=True)
def trace(plane):
    total = 0.0
    for k in range(plane.shape[0]):
        row = plane[k]
        total += row[k]
    return total


@cuda.jit(device=True)
def diagonal(a, i):
    plane = a[i]
    if plane[0, 0] < 0:
        plane = a[i - 1]
    return plane[0, 0] * plane[1, 1]


PTX = [
    (across_barriers, "(float64[:, ::1], float64[::1])"),
    (chosen, "(float64[:, ::1], float64[::1])"),
    (planes, "(float64[:, :, ::1], float64[::1])"),
]


def run():
    random = np.random.default_rng(0)
    for width in (4, 5, 33):
        plain = random.integers(-99, 99, (4 * BLOCK, width)).astype(np.float64)
        for a in (plain, np.asfortranarray(plain), plain[::-1], np.repeat(plain, 2, axis=1)[:, ::2]):
            check(across_barriers, 4, BLOCK, a, np.zeros(4 * BLOCK))
            check(chosen, 4, BLOCK, a[:200], np.zeros(200))
            check(chosen, 1, BLOCK, a[:40], np.zeros(40))
    for shape in ((200, 2, 3), (200, 3, 3)):
        plain = random.integers(-99, 99, shape).astype(np.float64)
        for a in (plain, plain.transpose(0, 2, 1)[:, :2, :2], plain[::-1]):
            check(planes, 4, BLOCK, a, np.zeros(200))
