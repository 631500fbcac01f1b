# The mandelbrot set in Warp.
import warp as wp


@wp.func
def escape(real: wp.float32, imag: wp.float32, limit: wp.int32):
    x = wp.float32(0.0)
    y = wp.float32(0.0)
    for step in range(limit):
        xx = x * x
        yy = y * y
        if xx + yy > 4.0:
            return step
        y = (x + x) * y + imag
        x = xx - yy + real
    return limit


@wp.kernel
def mandelbrot_kernel(
    left: wp.float32, top: wp.float32, pixel: wp.float32, limit: wp.int32, steps: wp.array2d(dtype=wp.int32)
):
    row, column = wp.tid()
    steps[row, column] = escape(left + wp.float32(column) * pixel, top - wp.float32(row) * pixel, limit)


def mandelbrot(left, top, pixel, limit, steps):
    wp.launch(mandelbrot_kernel, dim=steps.shape, inputs=[left, top, pixel, limit, steps])
