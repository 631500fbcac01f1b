# Matrix product in Taichi.
import taichi as ti

# Another number in every copy: Taichi keeps what it compiled under a hash of the program.
SALT = 0

plane = ti.types.ndarray(dtype=ti.f32, ndim=2)


@ti.kernel
def matmul(a: plane, b: plane, c: plane):
    for row, column in ti.ndrange(c.shape[0], c.shape[1]):
        total = ti.f32(0.0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row + SALT - SALT, column] = total
