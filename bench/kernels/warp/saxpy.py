# saxpy in Warp.
import warp as wp

vector = wp.array(dtype=wp.float32)


@wp.kernel
def saxpy_kernel(a: wp.float32, x: vector, y: vector, out: vector):
    i = wp.tid()
    out[i] = a * x[i] + y[i]


def saxpy(a, x, y, out):
    wp.launch(saxpy_kernel, dim=out.shape, inputs=[a, x, y, out])
