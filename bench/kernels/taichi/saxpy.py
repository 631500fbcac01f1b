# saxpy in Taichi.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

vector = ti.types.ndarray(dtype=ti.f32, ndim=1)


@ti.kernel
def saxpy(a: ti.f32, x: vector, y: vector, out: vector):
    for i in range(out.shape[0]):
        out[i + SALT - SALT] = a * x[i] + y[i]
