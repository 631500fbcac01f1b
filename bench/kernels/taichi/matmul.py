# Matrix product in Taichi.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

plane = ti.types.ndarray(dtype=ti.f32, ndim=2)


@ti.kernel
def matmul(a: plane, b: plane, c: plane):
    for row, column in ti.ndrange(c.shape[0], c.shape[1]):
        total = ti.f32(0.0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row + SALT - SALT, column] = total
