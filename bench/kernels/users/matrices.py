# Small matrices in CUDA Python, one or an element of one for each thread: products, factors, systems, rotations.
import math

from treadle import cuda, float32, float64

N = 6
M = 5


@cuda.jit
def product4(a, b, out):
    m = cuda.grid(1)
    if m < out.shape[0]:
        for i in range(4):
            for j in range(4):
                total = float32(0)
                for k in range(4):
                    total += a[m, i, k] * b[m, k, j]
                out[m, i, j] = total


@cuda.jit
def product4_elements(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0] * 16:
        m = i // 16
        row = i % 16 // 4
        column = i % 4
        total = float32(0)
        for k in range(4):
            total += a[m, row, k] * b[m, k, column]
        out[m, row, column] = total


@cuda.jit
def cholesky6(matrices, out):
    m = cuda.grid(1)
    if m < matrices.shape[0]:
        lower = cuda.local.array((N, N), float64)
        for i in range(N):
            for j in range(i + 1):
                total = matrices[m, i, j]
                for k in range(j):
                    total -= lower[i, k] * lower[j, k]
                lower[i, j] = math.sqrt(total) if i == j else total / lower[j, j]
        for i in range(N):
            for j in range(N):
                out[m, i, j] = lower[i, j] if j <= i else 0.0


@cuda.jit
def jacobi3(matrices, sweeps, out):
    m = cuda.grid(1)
    if m >= matrices.shape[0]:
        return
    a = cuda.local.array((3, 3), float64)
    for i in range(3):
        for j in range(3):
            a[i, j] = matrices[m, i, j]
    for _ in range(sweeps):
        for p in range(2):
            for q in range(p + 1, 3):
                if abs(a[p, q]) < 1e-15:
                    continue
                theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                if theta < 0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(3):
                    kp = a[k, p]
                    kq = a[k, q]
                    a[k, p] = c * kp - s * kq
                    a[k, q] = s * kp + c * kq
                for k in range(3):
                    pk = a[p, k]
                    qk = a[q, k]
                    a[p, k] = c * pk - s * qk
                    a[q, k] = s * pk + c * qk
    for i in range(3):
        out[m, i] = a[i, i]


@cuda.jit
def solve5(matrices, right, out):
    m = cuda.grid(1)
    if m < matrices.shape[0]:
        a = cuda.local.array((M, M + 1), float64)
        for i in range(M):
            for j in range(M):
                a[i, j] = matrices[m, i, j]
            a[i, M] = right[m, i]
        for p in range(M):
            pivot = p
            for i in range(p + 1, M):
                if abs(a[i, p]) > abs(a[pivot, p]):
                    pivot = i
            if pivot != p:
                for j in range(p, M + 1):
                    a[p, j], a[pivot, j] = a[pivot, j], a[p, j]
            for i in range(p + 1, M):
                factor = a[i, p] / a[p, p]
                for j in range(p, M + 1):
                    a[i, j] -= factor * a[p, j]
        for i in range(M - 1, -1, -1):
            total = a[i, M]
            for j in range(i + 1, M):
                total -= a[i, j] * out[m, j]
            out[m, i] = total / a[i, i]


@cuda.jit
def turn_points(quaternions, points, out):
    i = cuda.grid(1)
    if i < points.shape[0]:
        w, x, y, z = quaternions[i, 0], quaternions[i, 1], quaternions[i, 2], quaternions[i, 3]
        px, py, pz = points[i, 0], points[i, 1], points[i, 2]
        tx = 2 * (y * pz - z * py)
        ty = 2 * (z * px - x * pz)
        tz = 2 * (x * py - y * px)
        out[i, 0] = px + w * tx + y * tz - z * ty
        out[i, 1] = py + w * ty + z * tx - x * tz
        out[i, 2] = pz + w * tz + x * ty - y * tx


@cuda.jit
def fit_lines(x, y, out):
    i = cuda.grid(1)
    if i < y.shape[0]:
        sx = 0.0
        sy = 0.0
        sxx = 0.0
        sxy = 0.0
        n = x.shape[0]
        for k in range(n):
            sx += x[k]
            sy += y[i, k]
            sxx += x[k] * x[k]
            sxy += x[k] * y[i, k]
        slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
        out[i, 0] = slope
        out[i, 1] = (sy - slope * sx) / n


@cuda.jit
def chebyshev(coefficients, x, out):
    i = cuda.grid(1)
    if i < x.size:
        before = 0.0
        last = 0.0
        for k in range(coefficients.size - 1, 0, -1):
            last, before = 2.0 * x[i] * last - before + coefficients[k], last
        out[i] = x[i] * last - before + coefficients[0]


@cuda.jit
def outer_covariance(samples, means, out):
    a, b = cuda.grid(2)
    if a < out.shape[1] and b < out.shape[0]:
        total = 0.0
        for k in range(samples.shape[0]):
            total += (samples[k, a] - means[a]) * (samples[k, b] - means[b])
        out[b, a] = total / (samples.shape[0] - 1)
