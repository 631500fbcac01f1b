# Escape times: affine initial values, a varying trip count.
import numpy as np
from treadle import cuda

from kernels.harness import ALL_TARGETS, check


@cuda.jit(device=True)
def escape(x, y, limit):
    c = complex(x, y)
    z = 0.0j
    for n in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return n
    return limit


@cuda.jit
def mandelbrot(left, top, pixel, image, limit):
    x, y = cuda.grid(2)
    if x < image.shape[1] and y < image.shape[0]:
        # CHECK-PTX: fma.rn.f64
        image[y, x] = escape(left + x * pixel, top + y * pixel, limit)


PTX = [(mandelbrot, "(float64, float64, float64, uint8[:, ::1], int64)")]
TARGETS = ALL_TARGETS


def run():
    for block in ((32, 4), (16, 16), (33, 1)):
        grid = -(-40 // block[0]), -(-30 // block[1])
        check(mandelbrot, grid, block, -2.0, -1.0, 0.0625, np.zeros((30, 40), np.uint8), 60)
