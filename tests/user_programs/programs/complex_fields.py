# A Fourier transform in place that swaps complex elements, a reduction of complex numbers, and a Julia set.
import cmath
import math

import numpy as np
from treadle import complex64, cuda


@cuda.jit(device=True)
def butterfly(a, b, w):
    return a + w * b, a - w * b


@cuda.jit
def fft(x, out, power):
    t = cuda.threadIdx.x
    n = x.size
    s = cuda.shared.array(64, complex64)
    place = 0
    for bit in range(int(math.log2(n) + 0.5)):
        place |= ((t >> bit) & 1) << (5 - bit)
    s[t] = x[place]
    cuda.syncthreads()
    half = 1
    while half < n:
        if t < n // 2:
            k = t % half
            a = 2 * t - k
            b = a + half
            s[a], s[b] = butterfly(s[a], s[b], cmath.exp(-1j * cmath.pi * k / half))
        half *= 2
        cuda.syncthreads()
    out[t] = s[t]
    power[t] = abs(s[t]) ** 2


@cuda.jit
def reverse(x):
    i = cuda.grid(1)
    a, b = i, x.size - 1 - i
    if a < b:
        x[a], x[b] = x[b].conjugate(), 1j * x[a]


@cuda.jit
def julia(c, low, high, counts):
    i, j = cuda.grid(2)
    if i < counts.shape[0] and j < counts.shape[1]:
        z = complex(low.real + (high.real - low.real) * j / counts.shape[1], low.imag + (high.imag - low.imag) * i / 9)
        n = 0
        while abs(z) ** 2 < 4.0 and n < 30:
            z = z * z + c
            n += 1
        counts[i, j] = n


rng = np.random.default_rng(6)
x = (rng.normal(size=64) + 1j * rng.normal(size=64)).astype(np.complex64)
out, power = cuda.device_array_like(x), cuda.device_array(64, np.float32)
fft[1, 64](x, out, power)
np.testing.assert_allclose(out.copy_to_host(), np.fft.fft(x), atol=1e-4)
np.testing.assert_allclose(power.copy_to_host(), np.abs(np.fft.fft(x)) ** 2, rtol=1e-3, atol=1e-4)

total = cuda.reduce(lambda a, b: a + b)
assert abs(total(out).real - np.fft.fft(x).sum().real) < 1e-3
assert abs(total(out[1:]).imag - np.fft.fft(x)[1:].sum().imag) < 1e-3
np.testing.assert_allclose(np.conjugate(out).copy_to_host(), np.fft.fft(x).conj(), atol=1e-4)

y = x[:33].copy()
reverse[1, 32](y)
np.testing.assert_array_equal(y[:16], x[32:16:-1].conj())
np.testing.assert_array_equal(y[17:33], 1j * x[15::-1])
assert y[16] == x[16]

counts = np.zeros((9, 12), np.uint8)
julia[(2, 2), (8, 8)](-0.4 + 0.6j, -1.5 - 1j, 1.5 + 1j, counts)
for i, j in np.ndindex(counts.shape):
    z, n = complex(-1.5 + 3 * j / 12, -1 + 2 * i / 9), 0
    while abs(z) ** 2 < 4 and n < 30:
        z, n = z * z + (-0.4 + 0.6j), n + 1
    assert counts[i, j] == n
