# Inputs and results of the layers of neural networks.
import numpy as np

from users.common import integers, kernel, uniform

BLOCK = 128


def _wide(*arrays):
    return [array.astype(np.float64) for array in arrays]


def layer_norm(rows=2000, columns=768):
    x = uniform(rows, columns, low=-1, high=2)
    weight, bias = uniform(columns, seed=2), uniform(columns, seed=3)

    def reference():
        wide = x.astype(np.float64)
        away = wide - wide.mean(axis=1, keepdims=True)
        return [away / np.sqrt((away * away).mean(axis=1, keepdims=True) + 1e-5) * weight + bias]

    return kernel(
        "layer_norm",
        (x, weight, bias, np.zeros_like(x)),
        extents=(rows, columns),
        threads=(rows * BLOCK,),
        block=(BLOCK,),
        reference=reference,
        tolerance=1e-5,
    )


def _softmax(name, threads, block, rows, columns):
    x = uniform(rows, columns, low=-5, high=5)

    def reference():
        e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        return [e / e.sum(axis=1, keepdims=True)]

    arguments, extents = (x, np.zeros_like(x)), (rows, columns)
    return kernel(name, arguments, extents=extents, threads=threads, block=block, reference=reference, tolerance=1e-5)


def softmax_block(rows=1000, columns=1000):
    return _softmax("softmax_block", (rows * BLOCK,), (BLOCK,), rows, columns)


def softmax_warp(rows=4000, columns=250):
    return _softmax("softmax_warp", (32, rows), (32, 4), rows, columns)


def rms_norm_warp(rows=4000, columns=512):
    x, weight = uniform(rows, columns, low=-1), uniform(columns, seed=2)

    def reference():
        wide = x.astype(np.float64)
        return [wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-6) * weight]

    return kernel(
        "rms_norm_warp",
        (x, weight, np.zeros_like(x)),
        extents=(rows, columns),
        threads=(rows * 32,),
        reference=reference,
        tolerance=1e-5,
    )


def rotary(tokens=8000, heads=16, half=32):
    q = uniform(tokens, heads, 2 * half, low=-1)
    angles = np.arange(tokens)[:, None] * 10000.0 ** (-np.arange(half) / half)
    cosine, sine = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def reference():
        a, b, c, s = _wide(q[..., :half], q[..., half:], cosine[:, None], sine[:, None])
        return [np.concatenate([a * c - b * s, b * c + a * s], axis=2)]

    return kernel(
        "rotary",
        (cosine, sine, q),
        restored=(2,),
        extents=(tokens, heads, half),
        block=(32, 4, 2),
        reference=reference,
        tolerance=1e-6,
    )


def rotary_pairs(tokens=500, heads=8, half=32):
    q, base = uniform(tokens, heads, 2 * half, low=-1), np.float64(10000)

    def reference():
        angles = np.arange(tokens)[:, None] * base ** (-np.arange(half) / half)
        z = (q[..., 0::2] + 1j * q[..., 1::2].astype(np.float64)) * np.exp(1j * angles)[:, None]
        return [np.stack([z.real, z.imag], axis=3).reshape(q.shape)]

    return kernel(
        "rotary_pairs",
        (base, q),
        restored=(1,),
        extents=(tokens, heads, half),
        threads=(tokens * heads * half,),
        reference=reference,
        tolerance=1e-6,
    )


def int8_matvec(rows=8192, columns=4096):
    weights, x = integers(rows, columns, dtype=np.int8, low=-127, high=128), integers(columns, dtype=np.int8, high=128)
    scales, x_scale = uniform(rows, high=0.01), np.float32(0.02)

    def reference():
        return [(weights.astype(np.float64) @ x) * scales * x_scale]

    return kernel(
        "int8_matvec",
        (x_scale, weights, scales, x, np.zeros(rows, np.float32)),
        extents=(rows, columns),
        threads=(rows,),
        reference=reference,
        tolerance=1e-6,
    )


def int8_groups(rows=4096, groups=64):
    weights = integers(rows, groups * 32, dtype=np.int8, low=-127, high=128)
    scales, x = uniform(rows, groups, high=0.01), uniform(groups * 32)

    def reference():
        sums = (weights.astype(np.float64) * x).reshape(rows, groups, 32).sum(axis=2)
        return [(scales * sums).sum(axis=1)]

    return kernel(
        "int8_groups",
        (weights, scales, x, np.zeros(rows, np.float32)),
        extents=(rows, groups),
        threads=(rows * 32,),
        reference=reference,
        tolerance=1e-5,
    )


def half_axpy(n=8_000_000):
    a, x, y = np.float32(1.5), uniform(n, dtype=np.float16), uniform(n, dtype=np.float16, seed=2)

    def reference():
        return [a * x.astype(np.float64) + y]

    return kernel("half_axpy", (a, x, y), restored=(2,), extents=(n,), reference=reference, tolerance=1e-3)


def half_dot(n=4_000_000, blocks=64):
    x, y = uniform(n, dtype=np.float16), uniform(n, dtype=np.float16, seed=2)
    return kernel(
        "half_dot",
        (x, y, np.zeros(1, np.float32)),
        restored=(2,),
        extents=(n,),
        threads=(blocks * BLOCK,),
        block=(BLOCK,),
        reference=lambda: [np.array([np.dot(*_wide(x, y))])],
        tolerance=5e-3,  # C adds all products to one float32
    )


def half_bias_relu(rows=40_000, channels=256):
    x = uniform(rows, channels, dtype=np.float16, low=-1)
    scale, bias = uniform(channels, dtype=np.float16, seed=2), uniform(channels, dtype=np.float16, low=-1, seed=3)

    def reference():
        wide, factor, added = _wide(x, scale, bias)
        return [np.maximum(wide * factor + added, 0)]

    return kernel(
        "half_bias_relu",
        (x, scale, bias, np.zeros_like(x)),
        extents=(rows, channels),
        reference=reference,
        tolerance=2e-3,
    )


def bias_gelu(rows=1000, columns=768):
    x, bias = uniform(rows, columns, low=-3, high=3), uniform(columns, low=-1, seed=2)

    def reference():
        v = x.astype(np.float64) + bias
        return [0.5 * v * (1 + np.tanh(0.7978845608 * (v + 0.044715 * v**3)))]

    arguments = (x, bias, np.zeros_like(x))
    return kernel("bias_gelu", arguments, extents=(rows, columns), reference=reference, tolerance=1e-6)


def embedding_bag(bags=20_000, count=12, width=64, words=20_000):
    table, tokens = uniform(words, width), integers(bags, count, dtype=np.int32, high=words)
    return kernel(
        "embedding_bag",
        (table, tokens, np.zeros((bags, width), np.float32)),
        extents=(bags, count, width),
        threads=(width, bags),
        reference=lambda: [table.astype(np.float64)[tokens].sum(axis=1)],
        tolerance=1e-6,
    )


KERNELS = {
    "layer_norm": (layer_norm, {"rows": 5, "columns": 300}),
    "softmax_block": (softmax_block, {"rows": 5, "columns": 300}),
    "softmax_warp": (softmax_warp, {"rows": 30, "columns": 70}),
    "rms_norm_warp": (rms_norm_warp, {"rows": 30, "columns": 70}),
    "rotary": (rotary, {"tokens": 7, "heads": 3, "half": 20}),
    "rotary_pairs": (rotary_pairs, {"tokens": 7, "heads": 3, "half": 20}),
    "int8_matvec": (int8_matvec, {"rows": 300, "columns": 100}),
    "int8_groups": (int8_groups, {"rows": 30, "groups": 4}),
    "half_axpy": (half_axpy, {"n": 1000}),
    "half_dot": (half_dot, {"n": 1000, "blocks": 2}),
    "half_bias_relu": (half_bias_relu, {"rows": 30, "channels": 70}),
    "bias_gelu": (bias_gelu, {"rows": 30, "columns": 70}),
    "embedding_bag": (embedding_bag, {"bags": 30, "count": 5, "width": 20, "words": 100}),
}
