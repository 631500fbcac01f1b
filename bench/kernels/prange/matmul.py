# Matrix product in Numba: rows in parallel, in the loop order that walks through memory in order.
from numba import float32, njit, prange


@njit(parallel=True, error_model="numpy")
def matmul(a, b, c):
    for i in prange(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = float32(0.0)
        for k in range(a.shape[1]):
            factor = a[i, k]
            for j in range(b.shape[1]):
                c[i, j] += factor * b[k, j]
