# A histogram of bytes in Taichi: atomic additions.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

octets = ti.types.ndarray(dtype=ti.u8, ndim=1)
vector = ti.types.ndarray(dtype=ti.i32, ndim=1)


@ti.kernel
def histogram(values: octets, counts: vector):
    for i in range(values.shape[0]):
        counts[ti.cast(values[i + SALT - SALT], ti.i32)] += 1
