# A sum in Taichi, which turns it into a reduction.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

vector = ti.types.ndarray(dtype=ti.f32, ndim=1)


@ti.kernel
def reduce(values: vector, total: vector):
    whole = ti.f32(0.0)
    for i in range(values.shape[0]):
        whole += values[i + SALT - SALT]
    total[0] = whole
