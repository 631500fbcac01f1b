# The mandelbrot set in Taichi.
import taichi as ti

# A different number in every copy, since Taichi caches compiled code by a hash of the program.
SALT = 0

picture = ti.types.ndarray(dtype=ti.i32, ndim=2)


@ti.func
def escape(real: ti.f32, imag: ti.f32, limit: ti.i32) -> ti.i32:
    x = ti.f32(0.0)
    y = ti.f32(0.0)
    step = 0
    while step < limit and x * x + y * y <= 4.0:
        previous = x
        x = x * x - y * y + real
        y = (previous + previous) * y + imag
        step += 1
    return step


@ti.kernel
def mandelbrot(left: ti.f32, top: ti.f32, pixel: ti.f32, limit: ti.i32, steps: picture):
    for row, column in ti.ndrange(steps.shape[0], steps.shape[1]):
        steps[row + SALT - SALT, column] = escape(left + ti.f32(column) * pixel, top - ti.f32(row) * pixel, limit)
