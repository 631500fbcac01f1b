# Workloads of kernels whose threads cooperate, and of loops over grids: reductions, histogram, transpose, scan.
import numpy as np
from workloads import Workload, _random

BLOCK = 256


def saxpy_stride(n=1 << 22, blocks=1024, block=(BLOCK, 1)):
    a, x, y = np.float32(2.5), _random(n), _random(n, seed=2)
    arguments = (a, x, y, np.zeros(n, np.float32))
    threads = (blocks * block[0], 1)
    return Workload("saxpy_stride", arguments, (3,), (n,), threads, block, lambda: [a * x.astype(np.float64) + y], 2e-7)


def _reduction(name, n, block):
    values, total = _random(n), np.zeros(1, np.float32)
    return Workload(
        name,
        (values, total),
        (1,),
        (n,),
        (n, 1),
        block,
        lambda: [np.array([values.astype(np.float64).sum()])],
        3e-4,
        loops="reduce",
        cleared=(1,),
    )


def reduce_tree(n=1 << 22, block=(BLOCK, 1)):
    return _reduction("reduce_tree", n, block)


def reduce_shuffle(n=1 << 22, block=(BLOCK, 1)):
    return _reduction("reduce_shuffle", n, block)


def histogram(n=1 << 24, blocks=512, block=(BLOCK, 1)):
    values = np.random.default_rng([1, n]).normal(128, 40, n).clip(0, 255).astype(np.uint8)
    counts = np.zeros(256, np.int32)
    return Workload(
        "histogram",
        (values, counts),
        (1,),
        (n,),
        (blocks * block[0], 1),
        block,
        lambda: [np.bincount(values, minlength=256).astype(np.float64)],
        1e-12,
        cleared=(1,),
    )


def transpose(rows=4096, columns=4096, block=(32, 8)):
    source, target = _random(rows, columns), np.zeros((columns, rows), np.float32)
    # A block moves a tile of 32x32 in four steps.
    threads = (columns, (rows + 31) // 32 * 8)
    return Workload(
        "transpose",
        (source, target),
        (1,),
        (rows, columns),
        threads,
        block,
        lambda: [source.T.astype(np.float64)],
        1e-12,
    )


def stencil3d(depth=256, rows=256, columns=256, block=(32, 8)):
    old, new = _random(depth, rows, columns), np.zeros((depth, rows, columns), np.float32)
    centre, side = np.float32(0.4), np.float32(0.1)

    def reference():
        wide, right = old.astype(np.float64), np.zeros(old.shape)
        inner = slice(1, -1)
        around = wide[:-2, inner, inner] + wide[2:, inner, inner] + wide[inner, :-2, inner] + wide[inner, 2:, inner]
        around += wide[inner, inner, :-2] + wide[inner, inner, 2:]
        right[inner, inner, inner] = centre * wide[inner, inner, inner] + side * around
        return [right]

    arguments = (centre, side, old, new)
    return Workload("stencil3d", arguments, (3,), (depth, rows, columns), (columns, rows), block, reference, 1e-6)


def scan(n=1 << 22, block=(BLOCK, 1)):
    values, out = np.random.default_rng([1, n]).integers(-99, 100, n, np.int32), np.zeros(n, np.int32)
    return Workload("scan", (values, out), (1,), (n,), (n, 1), block, lambda: [np.cumsum(values, dtype=float)], 1e-12)


def radix_sort(n=1 << 22, block=(BLOCK, 1)):
    keys = np.random.default_rng([1, n]).integers(0, 1 << 32, n, np.uint32)
    arguments = (keys, np.zeros(n, np.uint32), np.zeros(n, np.uint32))
    return Workload("radix_sort", arguments, (1,), (n,), (n, 1), block, lambda: [np.sort(keys).astype(float)], 1e-12)


# The limits of memory and arithmetic; their results are not checked.
def _limit(name, arrays, n, block):
    return Workload(name, arrays, (), (n,), (n, 1), block, list, 0)


def _stream(name, count):
    return lambda n=1 << 22, block=(BLOCK, 1): _limit(
        name, tuple(np.ones(n, np.float32) for _ in range(count)), n, block
    )


def fma_f32(n=1 << 22, block=(BLOCK, 1)):
    return _limit("fma_f32", (np.zeros(2, np.float32),), n, block)


def fma_f64(n=1 << 22, block=(BLOCK, 1)):
    return _limit("fma_f64", (np.zeros(2),), n, block)


stream_sum, stream_copy, stream_triad = _stream("stream_sum", 2), _stream("stream_copy", 2), _stream("stream_triad", 3)
LIMITS = ("stream_sum", "stream_copy", "stream_triad", "fma_f32", "fma_f64")
KERNELS = ("saxpy_stride", "reduce_tree", "reduce_shuffle", "histogram", "transpose", "stencil3d", "scan", "radix_sort")
ALL = {name: globals()[name] for name in KERNELS + LIMITS}
TINY = {
    "saxpy_stride": {"n": 1000, "blocks": 2},
    "reduce_tree": {"n": 1000},
    "reduce_shuffle": {"n": 1000},
    "histogram": {"n": 5000, "blocks": 3},
    "transpose": {"rows": 50, "columns": 70},
    "stencil3d": {"depth": 10, "rows": 20, "columns": 70},
    "scan": {"n": 5000},
    "radix_sort": {"n": 9000},
} | {name: {"n": 1 << 14} for name in LIMITS}
