# A transpose in Numba: rows of the result in parallel.
from numba import njit, prange


@njit(parallel=True, error_model="numpy")
def transpose(source, target):
    for y in prange(target.shape[0]):
        for x in range(target.shape[1]):
            target[y, x] = source[x, y]
