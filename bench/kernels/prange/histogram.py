# A histogram of bytes in Numba: each thread counts one part separately.
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, error_model="numpy")
def histogram(values, counts):
    parts = get_num_threads()
    own = np.zeros((parts, 256), np.int32)
    for part in prange(parts):
        for i in range(part * values.size // parts, (part + 1) * values.size // parts):
            own[part, values[i]] += 1
    for part in range(parts):
        for k in range(256):
            counts[k] += own[part, k]
