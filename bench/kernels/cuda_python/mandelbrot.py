# The mandelbrot set in CUDA Python: one thread per pixel, float32, a device function with its own number of steps.
from treadle import cuda, float32


@cuda.jit(device=True)
def escape(real, imag, limit):
    x = float32(0.0)
    y = float32(0.0)
    for step in range(limit):
        xx = x * x
        yy = y * y
        if xx + yy > float32(4.0):
            return step
        y = (x + x) * y + imag
        x = xx - yy + real
    return limit


@cuda.jit
def mandelbrot(left, top, pixel, limit, steps):
    column, row = cuda.grid(2)
    if row < steps.shape[0] and column < steps.shape[1]:
        real = left + float32(column) * pixel
        imag = top - float32(row) * pixel
        steps[row, column] = escape(real, imag, limit)
