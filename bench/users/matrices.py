# Inputs and results of the kernels over small matrices, rotations and fits.
import numpy as np

from users.common import kernel, uniform

N = 6
M = 5


def _products(name, n, threads):
    a, b = uniform(n, 4, 4), uniform(n, 4, 4, seed=2)
    return kernel(
        name,
        (a, b, np.zeros_like(a)),
        extents=(n,),
        threads=(threads,),
        reference=lambda: [a.astype(np.float64) @ b],
        tolerance=1e-6,
    )


def product4(n=100_000):
    return _products("product4", n, n)


def product4_elements(n=100_000):
    return _products("product4_elements", n, 16 * n)


def cholesky6(n=40_000):
    halves = uniform(n, N, N, dtype=np.float64, low=-1)
    matrices = halves @ halves.transpose(0, 2, 1) + np.eye(N)
    return kernel(
        "cholesky6",
        (matrices, np.zeros_like(matrices)),
        extents=(n,),
        reference=lambda: [np.linalg.cholesky(matrices)],
        tolerance=1e-13,
    )


def jacobi3(n=20_000, sweeps=6):
    halves = uniform(n, 3, 3, dtype=np.float64, low=-1)
    matrices = halves + halves.transpose(0, 2, 1)
    return kernel(
        "jacobi3",
        (matrices, np.int32(sweeps), np.zeros((n, 3))),
        extents=(n,),
        reference=lambda: [np.linalg.eigvalsh(matrices)],
        tolerance=1e-12,
        canonical=lambda values: (np.sort(values, axis=1),),
    )


def solve5(n=40_000):
    matrices, right = uniform(n, M, M, dtype=np.float64, low=-1), uniform(n, M, dtype=np.float64)
    # Well enough conditioned, but not so that the diagonal would have the pivots.
    matrices += 3 * np.eye(M)[[1, 2, 3, 4, 0]]
    return kernel(
        "solve5",
        (matrices, right, np.zeros((n, M))),
        extents=(n,),
        reference=lambda: [np.linalg.solve(matrices, right[:, :, None])[:, :, 0]],
        tolerance=1e-11,
    )


def turn_points(n=1_000_000):
    quaternions, points = uniform(n, 4, low=-1), uniform(n, 3, low=-1, seed=2)
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)

    def reference():
        axis, wide = quaternions[:, 1:].astype(np.float64), points.astype(np.float64)
        turned = 2 * np.cross(axis, wide)
        return [wide + quaternions[:, :1] * turned + np.cross(axis, turned)]

    arguments = (quaternions, points, np.zeros_like(points))
    return kernel("turn_points", arguments, extents=(n,), reference=reference, tolerance=1e-6)


def fit_lines(rows=8000, n=200):
    x, y = np.sort(uniform(n, dtype=np.float64)), uniform(rows, n, dtype=np.float64)

    def reference():
        away = x - x.mean()
        slope = y @ away / (away @ away)
        return [np.stack([slope, y.mean(axis=1) - slope * x.mean()], axis=1)]

    return kernel(
        "fit_lines",
        (x, y, np.zeros((rows, 2))),
        extents=(rows, n),
        threads=(rows,),
        reference=reference,
        tolerance=1e-12,
    )


def chebyshev(n=200_000, count=24):
    coefficients, x = uniform(count, dtype=np.float64, low=-1), uniform(n, dtype=np.float64, low=-1)
    return kernel(
        "chebyshev",
        (coefficients, x, np.zeros(n)),
        extents=(n, count),
        threads=(n,),
        reference=lambda: [np.polynomial.chebyshev.chebval(x, coefficients)],
        tolerance=1e-12,
    )


def outer_covariance(count=1000, width=100):
    samples = uniform(count, width, dtype=np.float64)
    return kernel(
        "outer_covariance",
        (samples, samples.mean(axis=0), np.zeros((width, width))),
        extents=(count, width),
        threads=(width, width),
        reference=lambda: [np.cov(samples.T)],
        tolerance=1e-12,
    )


KERNELS = {
    "product4": (product4, {"n": 300}),
    "product4_elements": (product4_elements, {"n": 300}),
    "cholesky6": (cholesky6, {"n": 300}),
    "jacobi3": (jacobi3, {"n": 300}),
    "solve5": (solve5, {"n": 300}),
    "turn_points": (turn_points, {"n": 300}),
    "fit_lines": (fit_lines, {"rows": 100, "n": 30}),
    "chebyshev": (chebyshev, {"n": 300}),
    "outer_covariance": (outer_covariance, {"count": 50, "width": 30}),
}
