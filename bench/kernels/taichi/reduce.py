# A sum in Taichi, which makes a reduction of it.
import taichi as ti

# Another number in every copy: Taichi keeps what it compiled under a hash of the program.
SALT = 0

vector = ti.types.ndarray(dtype=ti.f32, ndim=1)


@ti.kernel
def reduce(values: vector, total: vector):
    whole = ti.f32(0.0)
    for i in range(values.shape[0]):
        whole += values[i + SALT - SALT]
    total[0] = whole
