# A 5-point stencil in Numba: rows in parallel.
from numba import njit, prange


@njit(parallel=True, error_model="numpy")
def stencil(centre, side, old, new):
    for y in prange(1, old.shape[0] - 1):
        for x in range(1, old.shape[1] - 1):
            new[y, x] = centre * old[y, x] + side * (old[y, x - 1] + old[y, x + 1] + old[y - 1, x] + old[y + 1, x])
