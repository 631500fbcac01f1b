# The measured kernels: their inputs, NumPy's reference results, and the required accuracy.
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Workload:
    """One kernel at one size.

    arguments: the kernel's arguments, in order: scalars with their exact NumPy types, and arrays, which begin at a
    multiple of 256 bytes for every side, as device memory does.
    outputs: positions of the arrays that it writes.
    extents: the further int arguments of the C and OpenCL versions.
    threads: extent of the grid of threads along x, y; block: the shape of a block.
    reference: the correct outputs, computed in double precision.
    loops: the name of the version in plain loops, if it differs from the kernel's.
    cleared: positions of arrays that are zero before each run.
    """

    name: str
    arguments: tuple
    outputs: tuple
    extents: tuple
    threads: tuple
    block: tuple
    reference: Callable[[], Any]
    tolerance: float
    may_differ: float = 0.0
    loops: str = ""
    cleared: tuple = ()

    def __post_init__(self):
        object.__setattr__(self, "arguments", tuple(map(_aligned, self.arguments)))

    def check(self, outputs, who, slack=1):
        """Raises ValueError if more than `may_differ` of all elements are off by over slack * tolerance * scale."""
        for found, right in zip(outputs, self.reference(), strict=True):
            scale = np.abs(right).max() or 1.0
            wrong = ~(np.abs(found.astype(np.float64) - right) <= slack * self.tolerance * scale)
            if np.count_nonzero(wrong) > self.may_differ * wrong.size:
                where = np.argwhere(wrong)[0]
                raise ValueError(
                    f"{who}: {self.name} is wrong in {np.count_nonzero(wrong)} of {wrong.size} elements, first at "
                    f"{tuple(map(int, where))}: {found[tuple(where)]} instead of {right[tuple(where)]}"
                )


def _aligned(argument):
    if not isinstance(argument, np.ndarray):
        return argument
    memory = np.empty(argument.nbytes + 256, np.uint8)
    begin = -memory.ctypes.data % 256
    order = "F" if argument.flags.fnc else "C"
    copy = memory[begin : begin + argument.nbytes].view(argument.dtype).reshape(argument.shape, order=order)
    copy[...] = argument
    return copy


def _random(*shape, dtype=np.float32, low=0.0, high=1.0, seed=1):
    return np.random.default_rng([seed, *shape]).uniform(low, high, shape).astype(dtype)


def _double(*arrays):
    return [array.astype(np.float64) for array in arrays]


def saxpy(n=1 << 22, block=(256, 1)):
    a, x, y = np.float32(2.5), _random(n), _random(n, seed=2)
    out = np.zeros(n, np.float32)
    return Workload("saxpy", (a, x, y, out), (3,), (n,), (n, 1), block, lambda: [a * x.astype(np.float64) + y], 2e-7)


def _black_scholes(name, dtype, tolerance, n, block):
    price, strike = (_random(n, dtype=dtype, low=5, high=30, seed=3), _random(n, dtype=dtype, low=1, high=100, seed=4))
    years = _random(n, dtype=dtype, low=0.25, high=10, seed=5)
    rate, volatility = dtype(0.02), dtype(0.3)

    def reference():
        s, k, t, r, v = _double(price, strike, years, rate, volatility)
        root = np.sqrt(t)
        d1 = (np.log(s / k) + (r + 0.5 * v * v) * t) / (v * root)
        cdf1, cdf2 = _cumulative_normal(d1), _cumulative_normal(d1 - v * root)
        discounted = k * np.exp(-r * t)
        return [s * cdf1 - discounted * cdf2, discounted * (1 - cdf2) - s * (1 - cdf1)]

    outputs = np.zeros(n, dtype), np.zeros(n, dtype)
    arguments = (price, strike, years, rate, volatility, *outputs)
    return Workload(name, arguments, (5, 6), (n,), (n, 1), block, reference, tolerance)


def _cumulative_normal(d):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    result = 0.39894228040143267793994605993438 * np.exp(-0.5 * d * d) * tail
    return np.where(d > 0.0, 1.0 - result, result)


def black_scholes_f32(n=1 << 20, block=(256, 1)):
    return _black_scholes("black_scholes_f32", np.float32, 2e-6, n, block)


def black_scholes_f64(n=1 << 20, block=(256, 1)):
    return _black_scholes("black_scholes_f64", np.float64, 1e-13, n, block)


def mandelbrot(width=1024, height=768, limit=256, block=(32, 8)):
    left, top, pixel, limit = np.float32(-2.2), np.float32(1.125), np.float32(3.0 / width), np.int32(limit)
    steps = np.zeros((height, width), np.int32)

    def reference():
        real = (left + np.arange(width, dtype=np.float32) * pixel)[None, :]
        imag = (top - np.arange(height, dtype=np.float32) * pixel)[:, None]
        x = np.zeros((height, width), np.float32)
        y = np.zeros((height, width), np.float32)
        counted = np.full((height, width), limit)
        with np.errstate(all="ignore"):
            for step in range(int(limit)):
                xx, yy = x * x, y * y
                counted[(counted == limit) & (xx + yy > 4)] = step
                x, y = xx - yy + real, (x + x) * y + imag
        return [counted.astype(np.float64)]

    arguments = (left, top, pixel, limit, steps)
    # Near the edge of the set rounding matters: contracted multiply-adds produce other counts there.
    return Workload(
        "mandelbrot", arguments, (4,), (height, width), (width, height), block, reference, 1e-9, may_differ=0.02
    )


def stencil(rows=2048, columns=2048, block=(32, 8)):
    old, new = _random(rows, columns), np.zeros((rows, columns), np.float32)
    centre, side = np.float32(0.5), np.float32(0.125)

    def reference():
        wide, right = old.astype(np.float64), np.zeros((rows, columns))
        around = wide[1:-1, :-2] + wide[1:-1, 2:] + wide[:-2, 1:-1] + wide[2:, 1:-1]
        right[1:-1, 1:-1] = centre * wide[1:-1, 1:-1] + side * around
        return [right]

    return Workload("stencil", (centre, side, old, new), (3,), (rows, columns), (columns, rows), block, reference, 1e-6)


def matmul(n=512, block=(16, 16)):
    a, b = _random(n, n), _random(n, n, seed=2)
    c = np.zeros((n, n), np.float32)

    def reference():
        return [a.astype(np.float64) @ b.astype(np.float64)]

    return Workload("matmul", (a, b, c), (2,), (n, n, n), (n, n), block, reference, 1e-5)


def nbody(n=8192, block=(256, 1)):
    x, y, z = (_random(n, low=-1, seed=6 + axis) for axis in range(3))
    mass = _random(n, seed=9)
    softening = np.float32(0.0025)

    def reference():
        position = np.stack(_double(x, y, z))
        pulled = np.empty((3, n))
        for start in range(0, n, 256):
            away = position[:, None, :] - position[:, start : start + 256, None]
            squared = (away * away).sum(axis=0) + np.float64(softening)
            pulled[:, start : start + 256] = (mass / (squared * np.sqrt(squared)) * away).sum(axis=2)
        return list(pulled)

    outputs = tuple(np.zeros(n, np.float32) for _ in range(3))
    arguments = (softening, x, y, z, mass, *outputs)
    return Workload("nbody", arguments, (5, 6, 7), (n,), (n, 1), block, reference, 1e-4)


ALL = {
    make.__name__: make for make in (saxpy, black_scholes_f32, black_scholes_f64, mandelbrot, stencil, matmul, nbody)
}
# Small sizes, to check that everything works.
TINY = {
    "saxpy": {"n": 1000},
    "black_scholes_f32": {"n": 1000},
    "black_scholes_f64": {"n": 1000},
    "mandelbrot": {"width": 70, "height": 50, "limit": 64},
    "stencil": {"rows": 50, "columns": 70},
    "matmul": {"n": 48},
    "nbody": {"n": 300},
}


def make(name, tiny=False, **options):
    """The workload called `name`; `tiny` selects a small size, `block` another block shape."""
    makers, small = ALL, TINY
    if name not in ALL:
        import cooperation_workloads

        makers, small = cooperation_workloads.ALL, cooperation_workloads.TINY
    return makers[name](**(small[name] | options if tiny else options))
