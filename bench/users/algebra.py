# Inputs and results of the kernels over small systems and small sets of points.
import numpy as np

from users.common import kernel, uniform

N = 32


def inverse4(n=60_000):
    matrices = uniform(n, 4, 4, dtype=np.float64) + 3 * np.eye(4)
    arguments = (matrices, np.zeros_like(matrices))
    return kernel("inverse4", arguments, extents=(n,), reference=lambda: [np.linalg.inv(matrices)], tolerance=1e-11)


def tridiagonal(n=30_000):
    lower, upper, right = (uniform(N, n, dtype=np.float64, seed=seed) for seed in range(3))
    diagonal = uniform(N, n, dtype=np.float64, low=3, high=4)

    def reference():
        c, d = upper.copy(), right.copy()
        c[0] /= diagonal[0]
        d[0] /= diagonal[0]
        for k in range(1, N):
            scale = 1 / (diagonal[k] - lower[k] * c[k - 1])
            c[k] *= scale
            d[k] = (d[k] - lower[k] * d[k - 1]) * scale
        for k in range(N - 2, -1, -1):
            d[k] -= c[k] * d[k + 1]
        return [d]

    arguments = (lower, diagonal, upper, right, np.zeros((N, n)))
    return kernel("tridiagonal", arguments, extents=(n,), reference=reference, tolerance=1e-13)


def determinant3(n=500_000):
    matrices = uniform(n, 3, 3, dtype=np.float64)
    arguments = (matrices, np.zeros(n))
    return kernel("determinant3", arguments, extents=(n,), reference=lambda: [np.linalg.det(matrices)], tolerance=1e-13)


def eigenvalues3(n=200_000):
    matrices = uniform(n, 6, dtype=np.float64, low=-1)

    def reference():
        return [np.linalg.eigvalsh(matrices[:, [[0, 1, 2], [1, 3, 4], [2, 4, 5]]])]

    arguments = (matrices, np.zeros((n, 3)))
    return kernel("eigenvalues3", arguments, extents=(n,), reference=reference, tolerance=1e-6)


def nearest4(n=3000, count=2000):
    queries, points = uniform(n, 2), uniform(count, 2, seed=2)

    def reference():
        away = queries.astype(np.float64)[:, None, :] - points
        return [np.argsort((away * away).sum(axis=2), axis=1)[:, :4]]

    # Two points may be equally far but for rounding.
    arguments = (queries, points, np.zeros((n, 4), np.int32))
    return kernel("nearest4", arguments, extents=(n, count), threads=(n,), reference=reference, may_differ=0.001)


def kmeans_assign(n=100_000, axes=4, count=16):
    points, centres = uniform(n, axes), uniform(count, axes, seed=2)

    def reference():
        away = points.astype(np.float64)[:, None, :] - centres
        return [np.argmin((away * away).sum(axis=2), axis=1)]

    return kernel(
        "kmeans_assign",
        (points, centres, np.zeros(n, np.int32)),
        extents=(n, axes, count),
        threads=(n,),
        reference=reference,
        may_differ=0.001,
    )


KERNELS = {
    "inverse4": (inverse4, {"n": 300}),
    "tridiagonal": (tridiagonal, {"n": 300}),
    "determinant3": (determinant3, {"n": 300}),
    "eigenvalues3": (eigenvalues3, {"n": 300}),
    "nearest4": (nearest4, {"n": 100, "count": 200}),
    "kmeans_assign": (kmeans_assign, {"n": 300}),
}
