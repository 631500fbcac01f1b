# The mandelbrot set as a picture: one thread per pixel, each with its own number of steps.
import sys

import numpy as np
from treadle import cuda, float32

BLOCK = (32, 8)
LEFT, RIGHT, TOP, BOTTOM = -2.2, 0.8, 1.125, -1.125


@cuda.jit(device=True)
def steps_to_escape(real, imag, limit):
    """How often z * z + c can be taken, from z = 0, before z leaves the circle of radius 2."""
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
def mandelbrot_kernel(left, top, step, limit, steps):
    column, row = cuda.grid(2)
    if row < steps.shape[0] and column < steps.shape[1]:
        real = left + float32(column) * step
        imag = top - float32(row) * step
        steps[row, column] = steps_to_escape(real, imag, limit)


def mandelbrot(width, height, limit):
    """The int32 array (height, width) of steps to escape, at most `limit`."""
    steps = np.empty((height, width), np.int32)
    grid = ((width + BLOCK[0] - 1) // BLOCK[0], (height + BLOCK[1] - 1) // BLOCK[1])
    pixel = np.float32((RIGHT - LEFT) / width)
    mandelbrot_kernel[grid, BLOCK](np.float32(LEFT), np.float32(TOP), pixel, limit, steps)
    return steps


def mandelbrot_numpy(width, height, limit):
    """The same by whole-array steps; pixels that escaped are dropped from the work as they do."""
    pixel = np.float32((RIGHT - LEFT) / width)
    real = np.float32(LEFT) + np.arange(width, dtype=np.float32) * pixel
    imag = np.float32(TOP) - np.arange(height, dtype=np.float32) * pixel
    steps = np.full(height * width, limit, np.int32)
    alive = np.arange(height * width)
    c_real, c_imag = (part.ravel() for part in np.meshgrid(real, imag))
    x = np.zeros_like(c_real)
    y = np.zeros_like(c_real)
    for step in range(limit):
        xx = x * x
        yy = y * y
        inside = xx + yy <= 4.0
        steps[alive[~inside]] = step
        alive, x, y, xx, yy, c_real, c_imag = (part[inside] for part in (alive, x, y, xx, yy, c_real, c_imag))
        if alive.size == 0:
            break
        y = (x + x) * y + c_imag
        x = xx - yy + c_real
    return steps.reshape(height, width)


def write_picture(path, steps, limit):
    from matplotlib import image

    brightness = np.sqrt(np.where(steps == limit, 0, steps) / limit)
    image.imsave(path, brightness, cmap="magma", vmin=0.0, vmax=0.5)


def main(path="mandelbrot.png"):
    steps = mandelbrot(1024, 768, 256)
    write_picture(path, steps, 256)
    print(f"{path}: 1024 x 768 pixels, {steps.sum()} steps")


if __name__ == "__main__":
    main(*sys.argv[1:])
