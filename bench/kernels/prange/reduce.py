# A sum in Numba: a parallel loop with a reduction.
from numba import float32, njit, prange


@njit(parallel=True, error_model="numpy")
def reduce(values, total):
    whole = float32(0.0)
    for i in prange(values.size):
        whole += values[i]
    total[0] = whole
