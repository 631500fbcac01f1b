# A transpose in Taichi.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

plane = ti.types.ndarray(dtype=ti.f32, ndim=2)


@ti.kernel
def transpose(source: plane, target: plane):
    for y, x in ti.ndrange(target.shape[0], target.shape[1]):
        target[y + SALT - SALT, x] = source[x, y]
