# Inputs and results of the kernels over images.
import numpy as np

from users.common import integers, kernel, uniform


def blur5(height=1080, width=1900):
    image = uniform(height, width)

    def reference():
        wide = np.pad(image.astype(np.float64), 2, mode="edge")
        shifted = [wide[dy : dy + height, dx : dx + width] for dy in range(5) for dx in range(5)]
        return [np.mean(shifted, axis=0)]

    arguments = (image, np.zeros_like(image))
    return kernel("blur5", arguments, extents=(height, width), reference=reference, tolerance=1e-6)


def sobel(height=1500, width=2000):
    image = integers(height, width)

    def reference():
        wide = image.astype(np.int64)
        along, across = np.array([1, 2, 1]), np.array([-1, 0, 1])

        def convolved(down, right):
            size = height - 2, width - 2
            terms = (down[k] * right[m] * wide[k : k + size[0], m : m + size[1]] for k in range(3) for m in range(3))
            return sum(terms)

        gx, gy = convolved(along, across), convolved(across, along)
        right = np.zeros_like(image)
        right[1:-1, 1:-1] = np.minimum(np.sqrt(gx * gx + gy * gy).astype(int), 255)
        return [right]

    return kernel("sobel", (image, np.zeros_like(image)), extents=(height, width), reference=reference)


def grey(n=4_000_000):
    rgb = integers(n, 3)

    def reference():
        return [(rgb @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)]

    # What is a whole number but for rounding is truncated to either of two.
    arguments = (rgb, np.zeros(n, np.uint8))
    return kernel("grey", arguments, extents=(n,), reference=reference, may_differ=0.01)


def rotate(height=1000, width=1200):
    image = uniform(height, width)
    cosine, sine = np.cos(0.3), np.sin(0.3)

    def reference():
        dy, dx = np.mgrid[:height, :width] - np.array([height / 2, width / 2])[:, None, None]
        u, v = cosine * dx - sine * dy + width / 2, sine * dx + cosine * dy + height / 2
        x, y = np.floor(u).astype(int), np.floor(v).astype(int)
        inside = (x >= 0) & (x < width - 1) & (y >= 0) & (y < height - 1)
        x, y, fx, fy = x[inside], y[inside], (u - np.floor(u))[inside], (v - np.floor(v))[inside]
        top = image[y, x] * (1 - fx) + image[y, x + 1] * fx
        bottom = image[y + 1, x] * (1 - fx) + image[y + 1, x + 1] * fx
        right = np.zeros((height, width))
        right[inside] = top * (1 - fy) + bottom * fy
        return [right]

    arguments = (cosine, sine, image, np.zeros_like(image))
    return kernel("rotate", arguments, extents=(height, width), reference=reference, tolerance=1e-6, may_differ=1e-5)


def mandelbrot_complex(height=390, width=520, limit=200):
    pixel = np.float64(3.0 / width)
    left, top = np.float64(-2.2), np.float64(1.125)

    def reference():
        y, x = np.mgrid[:height, :width]
        c = (left + x * pixel) + 1j * (top - y * pixel)
        z, count = np.zeros_like(c), np.zeros(c.shape, np.int32)
        for _ in range(limit):
            inside = z.real * z.real + z.imag * z.imag < 4.0
            count += inside
            z[inside] = z[inside] ** 2 + c[inside]
        return [count]

    arguments = (left, top, pixel, np.int32(limit), np.zeros((height, width), np.int32))
    return kernel("mandelbrot_complex", arguments, extents=(height, width), reference=reference, may_differ=0.01)


def raymarch(height=360, width=480):
    def distance(x, y, z):
        ball = np.sqrt(x * x + y * y + (z - 4) ** 2) - 1
        ring = np.hypot(np.hypot(x, z - 4) - 1.75, y) - 0.25
        return np.minimum(np.minimum(ball, ring), y + 1.25)

    def reference():
        row, column = np.mgrid[:height, :width]
        ray = np.stack([(column - width * 0.5) / width, (height * 0.5 - row) / width, np.ones(row.shape)])
        ray /= np.sqrt((ray * ray).sum(axis=0))
        t, going = np.zeros(row.shape), np.ones(row.shape, bool)
        for _ in range(64):
            d = distance(*(t[going] * ray[:, going]))
            t[going] += d
            going[going] = (d >= 0.001) & (t[going] <= 20.0)
        return [t]

    # A ray that passes close by ends at its 64th step or one earlier.
    arguments = (np.zeros((height, width), np.float32),)
    return kernel("raymarch", arguments, extents=(height, width), reference=reference, tolerance=2e-4, may_differ=0.02)


KERNELS = {
    "blur5": (blur5, {"height": 45, "width": 70}),
    "sobel": (sobel, {"height": 45, "width": 70}),
    "grey": (grey, {"n": 1000}),
    "rotate": (rotate, {"height": 45, "width": 70}),
    "mandelbrot_complex": (mandelbrot_complex, {"height": 45, "width": 70, "limit": 50}),
    "raymarch": (raymarch, {"height": 45, "width": 70}),
}
