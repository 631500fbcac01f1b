# Image filters as a program for the CPU had them: kernels call its njit functions, one of which has a local array.
import math

import numpy as np
from numba import cuda, float32, njit, uint8, vectorize


@njit
def clamp(value, low=0, high=255):
    return min(max(value, low), high)


@njit(cache=True)
def median_of_nine(image, y, x):
    window = cuda.local.array(9, dtype=uint8)
    count = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            window[count] = image[clamp(y + dy, 0, image.shape[0] - 1), clamp(x + dx, 0, image.shape[1] - 1)]
            count += 1
    for k in range(1, 9):
        value = window[k]
        place = k - 1
        while place >= 0 and window[place] > value:
            window[place + 1] = window[place]
            place -= 1
        window[place + 1] = value
    return window[4]


@cuda.jit
def median(image, out):
    y, x = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        out[y, x] = median_of_nine(image, y, x)


@vectorize(["float32(uint8, float32)"], target="cuda")
def gamma(value, exponent):
    return 255 * math.pow(value / float32(255), exponent)


@cuda.jit
def threshold(image, level, out):
    start, stride = cuda.grid(1), cuda.gridsize(1)
    flat_in, flat_out = image.ravel(), out.ravel()
    for k in range(start, image.size, stride):
        flat_out[k] = clamp((flat_in[k] - level) * 1000.0)


rng = np.random.default_rng(3)
image = rng.integers(0, 256, (11, 14), dtype=np.uint8)
stream = cuda.stream()
with cuda.pinned(image):
    d_image = cuda.to_device(image, stream=stream)
    d_median = cuda.device_array_like(d_image, stream=stream)
    threads = (8, 8)
    blocks = tuple(math.ceil(n / t) for n, t in zip(image.shape, threads))
    median[blocks, threads, stream](d_image, d_median)
    smooth = d_median.copy_to_host(stream=stream)
    stream.synchronize()
padded = np.pad(image, 1, mode="edge")
windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).reshape(*image.shape, 9)
np.testing.assert_array_equal(smooth, np.median(windows, axis=2).astype(np.uint8))

bright = gamma(d_median, np.float32(0.5))
np.testing.assert_allclose(bright.copy_to_host(), 255 * (smooth / 255) ** 0.5, rtol=1e-5)
black_and_white = cuda.device_array(image.shape, np.uint8)
threshold[2, 32](bright, 128.5, black_and_white)
np.testing.assert_array_equal(black_and_white.copy_to_host(), np.where(bright.copy_to_host() > 128.5, 255, 0))
