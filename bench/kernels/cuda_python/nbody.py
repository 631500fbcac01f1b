# Gravity among n bodies in CUDA Python: blocks of 256 walk through all bodies a shared tile at a time.
import math

from treadle import cuda, float32

TILE = 256


@cuda.jit
def nbody(softening, x, y, z, mass, ax, ay, az):
    tile_x = cuda.shared.array(TILE, float32)
    tile_y = cuda.shared.array(TILE, float32)
    tile_z = cuda.shared.array(TILE, float32)
    tile_mass = cuda.shared.array(TILE, float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    count = x.size
    own_x = own_y = own_z = float32(0.0)
    if i < count:
        own_x = x[i]
        own_y = y[i]
        own_z = z[i]
    sum_x = sum_y = sum_z = float32(0.0)
    for start in range(0, count, TILE):
        j = start + thread
        tile_mass[thread] = float32(0.0)
        if j < count:
            tile_x[thread] = x[j]
            tile_y[thread] = y[j]
            tile_z[thread] = z[j]
            tile_mass[thread] = mass[j]
        cuda.syncthreads()
        for k in range(TILE):
            dx = tile_x[k] - own_x
            dy = tile_y[k] - own_y
            dz = tile_z[k] - own_z
            squared = dx * dx + dy * dy + dz * dz + softening
            pull = tile_mass[k] / (squared * math.sqrt(squared))
            sum_x += pull * dx
            sum_y += pull * dy
            sum_z += pull * dz
        cuda.syncthreads()
    if i < count:
        ax[i] = sum_x
        ay[i] = sum_y
        az[i] = sum_z
