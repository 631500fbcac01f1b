# Gravity among n bodies in Taichi.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

vector = ti.types.ndarray(dtype=ti.f32, ndim=1)


@ti.kernel
def nbody(softening: ti.f32, x: vector, y: vector, z: vector, mass: vector, ax: vector, ay: vector, az: vector):
    for i in range(x.shape[0]):
        total = ti.Vector([ti.f32(0.0), 0.0, 0.0])
        for k in range(x.shape[0]):
            away = ti.Vector([x[k] - x[i], y[k] - y[i], z[k] - z[i]])
            squared = away.dot(away) + softening
            total += mass[k] / (squared * ti.sqrt(squared)) * away
        ax[i + SALT - SALT] = total[0]
        ay[i] = total[1]
        az[i] = total[2]
