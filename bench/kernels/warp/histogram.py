# A histogram of bytes in Warp: atomic additions.
import warp as wp


@wp.kernel
def histogram_kernel(values: wp.array(dtype=wp.uint8), counts: wp.array(dtype=wp.int32)):
    wp.atomic_add(counts, wp.int32(values[wp.tid()]), 1)


def histogram(values, counts):
    wp.launch(histogram_kernel, dim=values.shape, inputs=[values, counts])
