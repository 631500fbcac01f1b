# A 5-point stencil in Taichi.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

plane = ti.types.ndarray(dtype=ti.f32, ndim=2)


@ti.kernel
def stencil(centre: ti.f32, side: ti.f32, old: plane, new: plane):
    for y, x in ti.ndrange((1, old.shape[0] - 1), (1, old.shape[1] - 1)):
        new[y + SALT - SALT, x] = centre * old[y, x] + side * (
            old[y, x - 1] + old[y, x + 1] + old[y - 1, x] + old[y + 1, x]
        )
