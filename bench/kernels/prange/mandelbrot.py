# The mandelbrot set in Numba: rows in parallel.
from numba import float32, njit, prange


@njit(error_model="numpy")
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


@njit(parallel=True, error_model="numpy")
def mandelbrot(left, top, pixel, limit, steps):
    for row in prange(steps.shape[0]):
        imag = top - float32(row) * pixel
        for column in range(steps.shape[1]):
            steps[row, column] = escape(left + float32(column) * pixel, imag, limit)
