# Small systems and small sets of points in CUDA Python, with arrays of each thread's own.
import math

from treadle import cuda, float32, float64, int32

N = 32
NEAREST = 4


@cuda.jit
def inverse4(matrices, out):
    i = cuda.grid(1)
    if i >= matrices.shape[0]:
        return
    a = cuda.local.array((4, 8), float64)
    for r in range(4):
        for c in range(4):
            a[r, c] = matrices[i, r, c]
            a[r, c + 4] = 1.0 if r == c else 0.0
    for p in range(4):
        scale = 1.0 / a[p, p]
        for c in range(8):
            a[p, c] *= scale
        for r in range(4):
            if r != p:
                factor = a[r, p]
                for c in range(8):
                    a[r, c] -= factor * a[p, c]
    for r in range(4):
        for c in range(4):
            out[i, r, c] = a[r, c + 4]


@cuda.jit
def tridiagonal(lower, diagonal, upper, right, out):
    i = cuda.grid(1)
    if i < right.shape[1]:
        c = cuda.local.array(N, float64)
        d = cuda.local.array(N, float64)
        c[0] = upper[0, i] / diagonal[0, i]
        d[0] = right[0, i] / diagonal[0, i]
        for k in range(1, N):
            scale = 1.0 / (diagonal[k, i] - lower[k, i] * c[k - 1])
            c[k] = upper[k, i] * scale
            d[k] = (right[k, i] - lower[k, i] * d[k - 1]) * scale
        out[N - 1, i] = d[N - 1]
        for k in range(N - 2, -1, -1):
            d[k] -= c[k] * d[k + 1]
            out[k, i] = d[k]


@cuda.jit
def determinant3(matrices, out):
    i = cuda.grid(1)
    if i < out.size:
        m = matrices[i]
        value = m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        value -= m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
        value += m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
        out[i] = value


@cuda.jit
def eigenvalues3(matrices, out):
    i = cuda.grid(1)
    if i < matrices.shape[0]:
        a, b, c = matrices[i, 0], matrices[i, 1], matrices[i, 2]
        d, e, f = matrices[i, 3], matrices[i, 4], matrices[i, 5]
        mean = (a + d + f) / 3.0
        off = b * b + c * c + e * e
        p = math.sqrt(((a - mean) ** 2 + (d - mean) ** 2 + (f - mean) ** 2 + 2.0 * off) / 6.0)
        a = (a - mean) / p
        d = (d - mean) / p
        f = (f - mean) / p
        b /= p
        c /= p
        e /= p
        half = (a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)) / 2.0
        angle = math.acos(min(max(half, -1.0), 1.0)) / 3.0
        largest = mean + 2.0 * p * math.cos(angle)
        smallest = mean + 2.0 * p * math.cos(angle + 2.0 * math.pi / 3.0)
        out[i, 0] = smallest
        out[i, 1] = 3.0 * mean - largest - smallest
        out[i, 2] = largest


@cuda.jit
def nearest4(queries, points, out):
    i = cuda.grid(1)
    if i < queries.shape[0]:
        best = cuda.local.array(NEAREST, float32)
        which = cuda.local.array(NEAREST, int32)
        for k in range(NEAREST):
            best[k] = math.inf
            which[k] = -1
        for j in range(points.shape[0]):
            dx = queries[i, 0] - points[j, 0]
            dy = queries[i, 1] - points[j, 1]
            d = dx * dx + dy * dy
            if d < best[NEAREST - 1]:
                k = NEAREST - 1
                while k > 0 and best[k - 1] > d:
                    best[k] = best[k - 1]
                    which[k] = which[k - 1]
                    k -= 1
                best[k] = d
                which[k] = j
        for k in range(NEAREST):
            out[i, k] = which[k]


@cuda.jit
def kmeans_assign(points, centres, labels):
    i = cuda.grid(1)
    if i < points.shape[0]:
        nearest = 0
        least = float32(math.inf)
        for k in range(centres.shape[0]):
            d = float32(0.0)
            for axis in range(points.shape[1]):
                away = points[i, axis] - centres[k, axis]
                d += away * away
            if d < least:
                least = d
                nearest = k
        labels[i] = nearest
