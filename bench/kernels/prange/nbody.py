# Gravity among n bodies in Numba: bodies in parallel.
import math

from numba import float32, njit, prange


@njit(parallel=True, error_model="numpy")
def nbody(softening, x, y, z, mass, ax, ay, az):
    for i in prange(x.size):
        sum_x = sum_y = sum_z = float32(0.0)
        for k in range(x.size):
            dx = x[k] - x[i]
            dy = y[k] - y[i]
            dz = z[k] - z[i]
            squared = dx * dx + dy * dy + dz * dz + softening
            pull = mass[k] / (squared * math.sqrt(squared))
            sum_x += pull * dx
            sum_y += pull * dy
            sum_z += pull * dz
        ax[i] = sum_x
        ay[i] = sum_y
        az[i] = sum_z
