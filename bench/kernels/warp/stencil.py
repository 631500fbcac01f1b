# A 5-point stencil in Warp: the inner points of a 2-d grid.
import warp as wp

plane = wp.array2d(dtype=wp.float32)


@wp.kernel
def stencil_kernel(centre: wp.float32, side: wp.float32, old: plane, out: plane):
    y, x = wp.tid()
    if y > 0 and y < old.shape[0] - 1 and x > 0 and x < old.shape[1] - 1:
        out[y, x] = centre * old[y, x] + side * (old[y, x - 1] + old[y, x + 1] + old[y - 1, x] + old[y + 1, x])


def stencil(centre, side, old, out):
    wp.launch(stencil_kernel, dim=old.shape, inputs=[centre, side, old, out])
