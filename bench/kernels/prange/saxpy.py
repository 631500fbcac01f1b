# saxpy in Numba: a parallel loop.
from numba import njit, prange


@njit(parallel=True, error_model="numpy")
def saxpy(a, x, y, out):
    for i in prange(out.size):
        out[i] = a * x[i] + y[i]
