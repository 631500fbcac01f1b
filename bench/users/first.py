# Inputs and results of first programs.
import numpy as np

from users.common import integers, kernel, uniform


def add_ij(height=1000, width=1500):
    a, b = uniform(height, width), uniform(height, width, seed=2)
    arguments = (a, b, np.zeros_like(a))
    return kernel("add_ij", arguments, extents=a.shape, threads=a.shape, reference=lambda: [a + b])


def _jacobi(name, swaps, height, width):
    old = uniform(height, width, dtype=np.float64)

    def reference():
        new = np.zeros_like(old)
        new[1:-1, 1:-1] = (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]) / 4
        return [new]

    threads = old.shape[::-1] if swaps else old.shape
    arguments = (old, np.zeros_like(old))
    return kernel(name, arguments, extents=old.shape, threads=threads, reference=reference, tolerance=1e-15)


def jacobi_ij(height=1000, width=1000):
    return _jacobi("jacobi_ij", False, height, width)


def jacobi_yx(height=1000, width=1000):
    return _jacobi("jacobi_yx", True, height, width)


def blend_fortran(height=1000, width=1200):
    a = np.asfortranarray(uniform(height, width))
    b = np.asfortranarray(uniform(height, width, seed=2))
    weight = np.float32(0.3)
    return kernel(
        "blend_fortran",
        (weight, a, b, np.zeros_like(a)),
        extents=a.shape,
        reference=lambda: [weight * a.astype(np.float64) + (1 - weight) * b.astype(np.float64)],
        tolerance=1e-6,
    )


def wave_ijk(depth=128, height=128, width=128):
    now, before, speed = uniform(depth, height, width), uniform(depth, height, width, seed=2), np.float32(0.1)

    def reference():
        wide, after = now.astype(np.float64), np.zeros(now.shape)
        inner = (slice(1, -1),) * 3
        around = sum(np.roll(wide, shift, axis) for axis in range(3) for shift in (-1, 1))
        after[inner] = (2 * wide - before + speed * (around - 6 * wide))[inner]
        return [after]

    return kernel(
        "wave_ijk",
        (speed, now, before, np.zeros_like(now)),
        extents=now.shape,
        threads=now.shape,
        block=(8, 8, 8),
        reference=reference,
        tolerance=1e-6,
    )


def blur_flat(height=1000, width=1000):
    image = uniform(height, width)

    def reference():
        wide = image.astype(np.float64)
        out = wide.copy()
        inner = wide[1:-1, 1:-1]
        out[1:-1, 1:-1] = (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:] + inner) / 5
        return [out.ravel()]

    arguments = (np.int32(height), np.int32(width), image.ravel(), np.zeros(image.size, np.float32))
    return kernel("blur_flat", arguments, extents=(), threads=(image.size,), reference=reference, tolerance=1e-6)


def _product(name, threads, rows, columns, depth):
    a, b = uniform(rows, depth), uniform(depth, columns)
    arguments = (a, b, np.zeros((rows, columns), np.float32))
    return kernel(
        name,
        arguments,
        extents=(rows, columns, depth),
        threads=threads,
        reference=lambda: [a.astype(np.float64) @ b],
        tolerance=1e-5,
    )


def matmul_ij(rows=400, columns=440, depth=420):
    return _product("matmul_ij", (rows, columns), rows, columns, depth)


def matmul_yx(rows=400, columns=440, depth=420):
    return _product("matmul_yx", (columns, rows), rows, columns, depth)


def matmul_tiles_ij(rows=400, columns=440, depth=420):
    return _product("matmul_tiles_ij", (rows, columns), rows, columns, depth)


def total_of_rows(rows=4000, columns=1000):
    a = uniform(rows, columns)
    return kernel(
        "total_of_rows",
        (a, np.zeros(rows, np.float32)),
        extents=(rows, columns),
        threads=(rows,),
        reference=lambda: [a.astype(np.float64).sum(axis=1)],
        tolerance=1e-5,
    )


def total_of_columns(rows=1000, columns=4000):
    a = uniform(rows, columns)
    return kernel(
        "total_of_columns",
        (a, np.zeros(columns, np.float32)),
        extents=(rows, columns),
        threads=(columns,),
        reference=lambda: [a.astype(np.float64).sum(axis=0)],
        tolerance=1e-5,
    )


def scale_chunks(n=4_000_000, chunk=64):
    a, factor = uniform(n), np.float32(1.5)
    return kernel(
        "scale_chunks",
        (factor, np.int32(chunk), a, np.zeros_like(a)),
        extents=(n,),
        threads=(-(-n // chunk),),
        reference=lambda: [factor * a],
    )


def _counts(values, bins, low, high):
    return [np.histogram(values, bins=bins, range=(low, high))[0].astype(np.int32)]


def count_bytes(n=2_000_000):
    values = integers(n)
    return kernel(
        "count_bytes",
        (values, np.zeros(256, np.int32)),
        restored=(1,),
        extents=(n,),
        reference=lambda: _counts(values, 256, 0, 256),
    )


def count_bytes_shared(n=2_000_000, blocks=64):
    values = integers(n)
    return kernel(
        "count_bytes_shared",
        (values, np.zeros(256, np.int32)),
        restored=(1,),
        extents=(n,),
        threads=(blocks * 256,),
        reference=lambda: _counts(values, 256, 0, 256),
    )


def count_in_bins(n=2_000_000, bins=64, blocks=64):
    # Halves of small integers: no value lies where rounding decides on its bin.
    values = ((integers(n, high=bins * 4) + 0.5) / 4).astype(np.float32)
    return kernel(
        "count_in_bins",
        (np.float32(0), np.float32(bins), values, np.zeros(bins, np.int32)),
        restored=(3,),
        extents=(n, bins),
        threads=(blocks * 256,),
        reference=lambda: _counts(values, bins, 0, bins),
    )


def escape_ij(height=300, width=400, most=200):
    real, imaginary, step = np.float64(-2), np.float64(-1.17), np.float64(3.2 / width)

    def reference():
        c = (real + np.arange(width) * step) + 1j * (imaginary + np.arange(height) * step)[:, None]
        z, out = np.zeros_like(c), np.full(c.shape, most, np.int32)
        for n in range(most):
            z = np.where(out == most, z * z + c, z)
            out[(out == most) & (z.real * z.real + z.imag * z.imag > 4)] = n
        return [out]

    return kernel(
        "escape_ij",
        (real, imaginary, step, np.int32(most), np.zeros((height, width), np.int32)),
        extents=(height, width),
        threads=(height, width),
        reference=reference,
        may_differ=1e-3,  # points of which rounding decides when they leave
    )


KERNELS = {
    "add_ij": (add_ij, {"height": 45, "width": 70}),
    "jacobi_ij": (jacobi_ij, {"height": 45, "width": 70}),
    "jacobi_yx": (jacobi_yx, {"height": 45, "width": 70}),
    "blend_fortran": (blend_fortran, {"height": 45, "width": 70}),
    "wave_ijk": (wave_ijk, {"depth": 9, "height": 11, "width": 40}),
    "blur_flat": (blur_flat, {"height": 45, "width": 70}),
    "matmul_ij": (matmul_ij, {"rows": 37, "columns": 50, "depth": 20}),
    "matmul_yx": (matmul_yx, {"rows": 37, "columns": 50, "depth": 20}),
    "matmul_tiles_ij": (matmul_tiles_ij, {"rows": 37, "columns": 50, "depth": 20}),
    "total_of_rows": (total_of_rows, {"rows": 40, "columns": 70}),
    "total_of_columns": (total_of_columns, {"rows": 40, "columns": 70}),
    "scale_chunks": (scale_chunks, {"n": 1000}),
    "count_bytes": (count_bytes, {"n": 1000}),
    "count_bytes_shared": (count_bytes_shared, {"n": 1000, "blocks": 2}),
    "count_in_bins": (count_in_bins, {"n": 1000, "bins": 16, "blocks": 2}),
    "escape_ij": (escape_ij, {"height": 30, "width": 40}),
}
