# Inputs and results of the kernels over regular grids.
import numpy as np

from users.common import integers, kernel, uniform


def life(height=800, width=1000):
    cells = integers(height, width, high=2)

    def reference():
        shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
        alive = sum(np.roll(cells, shift, (0, 1)).astype(int) for shift in shifts)
        return [((alive == 3) | ((alive == 2) & (cells == 1))).astype(np.uint8)]

    return kernel("life", (cells, np.zeros_like(cells)), extents=(height, width), reference=reference)


def heat3d(depth=192, height=192, width=192):
    old = uniform(depth, height, width)
    centre, side = np.float32(0.4), np.float32(0.1)

    def reference():
        wide, right = old.astype(np.float64), np.zeros(old.shape)
        inner = (slice(1, -1),) * 3
        around = sum(np.roll(wide, shift, axis) for axis in range(3) for shift in (-1, 1))
        right[inner] = (centre * wide + side * around)[inner]
        return [right]

    arguments = (centre, side, old, np.zeros_like(old))
    extents = (depth, height, width)
    return kernel("heat3d", arguments, extents=extents, block=(32, 4, 2), reference=reference, tolerance=1e-6)


def advect(n=4_000_000):
    u, speed = uniform(n, dtype=np.float64), np.float64(0.3)

    def reference():
        left, right = np.roll(u, 1), np.roll(u, -1)
        return [u - speed * (right - left) / 2 + 0.5 * speed * speed * (right - 2 * u + left)]

    arguments = (speed, u, np.zeros(n))
    return kernel("advect", arguments, extents=(n,), reference=reference, tolerance=1e-14)


def sum_along_columns(rows=4000, columns=4000):
    a = uniform(rows, columns)
    return kernel(
        "sum_along_columns",
        (a, np.zeros(columns)),
        extents=(columns, rows),
        threads=(columns,),
        reference=lambda: [a.astype(np.float64).sum(axis=0)],
        tolerance=1e-13,
    )


def red_black(height=1500, width=2000):
    grid, omega, colour = uniform(height, width), np.float32(1.5), 1

    def reference():
        right = grid.astype(np.float64)
        around = sum(np.roll(right, shift, axis) for axis in range(2) for shift in (-1, 1))
        chosen = np.zeros(grid.shape, bool)
        chosen[1:-1, 1:-1] = (np.add.outer(np.arange(1, height - 1), np.arange(1, width - 1)) % 2) == colour
        right[chosen] += (omega * (0.25 * around - right))[chosen]
        return [right]

    return kernel(
        "red_black",
        (omega, grid, np.int32(colour)),
        outputs=(1,),
        restored=(1,),
        extents=(height, width),
        reference=reference,
        tolerance=1e-6,
    )


KERNELS = {
    "life": (life, {"height": 45, "width": 70}),
    "heat3d": (heat3d, {"depth": 10, "height": 15, "width": 70}),
    "advect": (advect, {"n": 1000}),
    "sum_along_columns": (sum_along_columns, {"rows": 40, "columns": 70}),
    "red_black": (red_black, {"height": 45, "width": 70}),
}
