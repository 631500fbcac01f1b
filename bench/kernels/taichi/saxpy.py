# saxpy in Taichi.
import taichi as ti

# Another number in every copy: Taichi keeps what it compiled under a hash of the program.
SALT = 0

vector = ti.types.ndarray(dtype=ti.f32, ndim=1)


@ti.kernel
def saxpy(a: ti.f32, x: vector, y: vector, out: vector):
    for i in range(out.shape[0]):
        out[i + SALT - SALT] = a * x[i] + y[i]
