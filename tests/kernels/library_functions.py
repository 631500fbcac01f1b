# Functions written in CUDA Python, under masks and in loops: cmath, math's of integers, NumPy's of numbers, bit counts.
import cmath
import math

import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def transform(z, out):
    i = cuda.grid(1)
    if i < z.size:
        v = z[i]
        out[i, 0] = cmath.exp(v) + cmath.sqrt(v)
        out[i, 1] = cmath.log(v) * cmath.tanh(v)
        if i % 3:
            out[i, 2] = cmath.acos(v) - cmath.atanh(v)
        else:
            out[i, 2] = np.sin(v) + cmath.rect(abs(v), cmath.phase(v))


@cuda.jit
def count(n, x, out):
    i = cuda.grid(1)
    if i >= n.size:
        return
    total = 0
    for k in range(1, 4):
        total += math.gcd(n[i], 12 * k) + math.isqrt(abs(n[i])) + n[i].bit_length()
        if total % 2:
            total += math.comb(10, k)
    mantissa, exponent = math.frexp(x[i])
    out[i] = total + exponent + mantissa + math.remainder(x[i], 0.75) + math.ldexp(x[i], k) + math.gamma(abs(x[i]))


PTX = [
    *((transform, f"({t}[::1], {t}[:, ::1])") for t in ("complex64", "complex128")),
    *((count, f"(int32[::1], {t}[::1], float64[::1])") for t in ("float32", "float64")),
]


def run():
    random = np.random.default_rng(2)
    for dtype, rtol in ((np.complex64, 1e-5), (np.complex128, 1e-13)):
        z = (random.normal(size=70) + 1j * random.normal(size=70)).astype(dtype)
        _, out = launch(transform, 3, 32, z, np.zeros((70, 3), dtype))
        v = z.astype(complex)
        last = np.where(np.arange(70) % 3, np.arccos(v) - np.arctanh(v), np.sin(v) + v)
        want = np.stack([np.exp(v) + np.sqrt(v), np.log(v) * np.tanh(v), last], 1)
        np.testing.assert_allclose(out, want, rtol=rtol, atol=rtol)
    n, x = random.integers(-1000, 1000, 70).astype(np.int32), random.uniform(-9, 9, 70)
    *_, out = launch(count, 3, 32, n, x, np.zeros(70))
    np.testing.assert_allclose(out, [counted(*pair) for pair in zip(n.tolist(), x.tolist(), strict=True)], rtol=1e-12)


def counted(n, x):
    total = 0
    for k in range(1, 4):
        total += math.gcd(n, 12 * k) + math.isqrt(abs(n)) + n.bit_length()
        if total % 2:
            total += math.comb(10, k)
    mantissa, exponent = math.frexp(x)
    return total + exponent + mantissa + math.remainder(x, 0.75) + math.ldexp(x, 3) + math.gamma(abs(x))
