# Inputs and results of the kernels over arrays of two to four axes.
import numpy as np

from users.common import integers, kernel, uniform

INNER = (slice(1, -1),) * 3


def _fortran(*shape, seed=1):
    return np.asfortranarray(uniform(*shape, dtype=np.float64, seed=seed))


def divergence_fortran(nx=128, ny=128, nz=100):
    u, v, w = (_fortran(nx, ny, nz, seed=seed) for seed in range(3))

    def reference():
        out = np.zeros(u.shape)
        out[INNER] = (u[2:, 1:-1, 1:-1] - u[:-2, 1:-1, 1:-1] + v[1:-1, 2:, 1:-1] - v[1:-1, :-2, 1:-1]) / 2
        out[INNER] += (w[1:-1, 1:-1, 2:] - w[1:-1, 1:-1, :-2]) / 2
        return [out]

    return kernel(
        "divergence_fortran",
        (u, v, w, np.zeros_like(u)),
        extents=u.shape,
        threads=u.shape,
        block=(32, 4, 2),
        reference=reference,
        tolerance=1e-14,
    )


def laplace_fortran_kji(nx=128, ny=128, nz=128):
    f = _fortran(nx, ny, nz)

    def reference():
        out = np.zeros(f.shape)
        around = sum(np.roll(f, shift, axis) for axis in range(3) for shift in (-1, 1))
        out[INNER] = (around - 6 * f)[INNER]
        return [out]

    return kernel(
        "laplace_fortran_kji",
        (f, np.zeros_like(f)),
        extents=f.shape,
        block=(8, 8, 8),
        reference=reference,
        tolerance=1e-14,
    )


def transpose_planes(depth=16, height=300, width=400):
    a = uniform(depth, height, width)
    return kernel(
        "transpose_planes",
        (a, np.zeros((depth, width, height), np.float32)),
        extents=a.shape,
        block=(16, 16, 1),
        reference=lambda: [a.transpose(0, 2, 1)],
    )


def ycbcr_pixels(height=1000, width=1500):
    rgb = integers(height, width, 3)

    def reference():
        r, g, b = np.moveaxis(rgb.astype(np.float64), 2, 0)
        luma = 0.299 * r + 0.587 * g + 0.114 * b
        right = [luma + 0.5, 0.564 * (b - luma) + 128.5, 0.713 * (r - luma) + 128.5]
        return [np.stack(right, axis=2).astype(np.uint8)]

    # What is a whole number but for rounding is truncated to either of two.
    return kernel(
        "ycbcr_pixels",
        (rgb, np.zeros_like(rgb)),
        extents=(height, width),
        reference=reference,
        may_differ=0.01,
    )


def ycbcr_planes(height=1500, width=2000):
    rgb = integers(3, height, width)

    def reference():
        r, g, b = rgb.astype(np.int64)
        right = [
            (77 * r + 150 * g + 29 * b) >> 8,
            ((-43 * r - 85 * g + 128 * b) >> 8) + 128,
            ((128 * r - 107 * g - 21 * b) >> 8) + 128,
        ]
        return [np.stack(right)]

    return kernel("ycbcr_planes", (rgb, np.zeros_like(rgb)), extents=(height, width), reference=reference)


def alpha_blend(height=1000, width=1500):
    over, under = integers(height, width, 4), integers(height, width, 3)

    def reference():
        alpha = over[..., 3:].astype(np.int64)
        return [(alpha * over[..., :3] + (255 - alpha) * under + 127) // 255]

    arguments = (over, under, np.zeros_like(under))
    return kernel("alpha_blend", arguments, extents=(height, width), reference=reference)


def resize_bilinear(height=300, width=400, rows=700, columns=900):
    image = integers(height, width, 3)

    def places(size, count):
        at = np.arange(count, dtype=np.float32) * np.float32(size - 1) / np.float32(count - 1)
        first = at.astype(np.int64)
        return first, np.minimum(first + 1, size - 1), (at - first).astype(np.float64)

    def reference():
        wide = image.astype(np.float64)
        (y0, y1, fy), (x0, x1, fx) = places(height, rows), places(width, columns)
        fy, fx = fy[:, None, None], fx[:, None]
        top, bottom = (wide[y][:, x0] * (1 - fx) + wide[y][:, x1] * fx for y in (y0, y1))
        return [(top * (1 - fy) + bottom * fy).astype(np.uint8)]

    # What is a whole number but for rounding is truncated to either of two.
    return kernel(
        "resize_bilinear",
        (image, np.zeros((rows, columns, 3), np.uint8)),
        extents=(height, width, 3, rows, columns),
        threads=(columns, rows),
        reference=reference,
        may_differ=0.01,
    )


def _windows(image, fill):
    height, width = image.shape
    wide = np.pad(image, 1, constant_values=fill)
    return np.stack([wide[dy : dy + height, dx : dx + width] for dy in range(3) for dx in range(3)])


def median3(height=400, width=600):
    image = integers(height, width)

    def reference():
        right = np.zeros_like(image)
        right[1:-1, 1:-1] = np.median(_windows(image, 0), axis=0)[1:-1, 1:-1]
        return [right]

    return kernel("median3", (image, np.zeros_like(image)), extents=(height, width), reference=reference)


def erode3(height=800, width=1200):
    image = integers(height, width)

    def reference():
        return [_windows(image, 255).min(axis=0)]

    return kernel("erode3", (image, np.zeros_like(image)), extents=(height, width), reference=reference)


def max_pool_flat(planes=160, height=224, width=224):
    x = uniform(planes, height, width)

    def reference():
        return [x.reshape(planes, height // 2, 2, width // 2, 2).max(axis=(2, 4)).ravel()]

    out = np.zeros(x.size // 4, np.float32)
    return kernel(
        "max_pool_flat",
        (np.int32(height), np.int32(width), x.ravel(), out),
        extents=(planes,),
        threads=(out.size,),
        reference=reference,
    )


def convolve3d_flat(depth=60, height=100, width=120):
    x, weights = uniform(depth, height, width), uniform(27, low=-1)

    def reference():
        wide, right = x.astype(np.float64), np.zeros(x.shape)
        for place, weight in zip(np.ndindex(3, 3, 3), weights, strict=True):
            part = (slice(first, first + size - 2) for first, size in zip(place, x.shape, strict=True))
            right[INNER] += weight * wide[tuple(part)]
        return [right.ravel()]

    extents = (np.int32(depth), np.int32(height), np.int32(width))
    return kernel(
        "convolve3d_flat",
        (*extents, weights, x.ravel(), np.zeros(x.size, np.float32)),
        extents=(),
        threads=(x.size,),
        reference=reference,
        tolerance=1e-5,
    )


KERNELS = {
    "divergence_fortran": (divergence_fortran, {"nx": 40, "ny": 11, "nz": 9}),
    "laplace_fortran_kji": (laplace_fortran_kji, {"nx": 40, "ny": 11, "nz": 9}),
    "transpose_planes": (transpose_planes, {"depth": 3, "height": 20, "width": 45}),
    "ycbcr_pixels": (ycbcr_pixels, {"height": 45, "width": 70}),
    "ycbcr_planes": (ycbcr_planes, {"height": 45, "width": 70}),
    "alpha_blend": (alpha_blend, {"height": 45, "width": 70}),
    "resize_bilinear": (resize_bilinear, {"height": 20, "width": 30, "rows": 45, "columns": 70}),
    "median3": (median3, {"height": 45, "width": 70}),
    "erode3": (erode3, {"height": 45, "width": 70}),
    "max_pool_flat": (max_pool_flat, {"planes": 3, "height": 22, "width": 30}),
    "convolve3d_flat": (convolve3d_flat, {"depth": 5, "height": 20, "width": 45}),
}
