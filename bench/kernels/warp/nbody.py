# Gravity among n bodies in Warp.
import warp as wp

vector = wp.array(dtype=wp.float32)


@wp.kernel
def nbody_kernel(
    softening: wp.float32, x: vector, y: vector, z: vector, mass: vector, ax: vector, ay: vector, az: vector
):
    i = wp.tid()
    own_x = x[i]
    own_y = y[i]
    own_z = z[i]
    sum_x = wp.float32(0.0)
    sum_y = wp.float32(0.0)
    sum_z = wp.float32(0.0)
    for k in range(x.shape[0]):
        dx = x[k] - own_x
        dy = y[k] - own_y
        dz = z[k] - own_z
        squared = dx * dx + dy * dy + dz * dz + softening
        pull = mass[k] / (squared * wp.sqrt(squared))
        sum_x += pull * dx
        sum_y += pull * dy
        sum_z += pull * dz
    ax[i] = sum_x
    ay[i] = sum_y
    az[i] = sum_z


def nbody(softening, x, y, z, mass, ax, ay, az):
    wp.launch(nbody_kernel, dim=x.shape, inputs=[softening, x, y, z, mass, ax, ay, az])
