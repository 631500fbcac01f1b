"""Fourier transforms by stages: Cooley-Tukey and Stockham in shared memory, one kernel per stage, and applications."""

import math

import numpy as np
import pytest
from treadle import complex64, complex128, cuda, float32, uint32

LARGEST = 1024


@cuda.jit(device=True)
def root(angle):
    return complex(math.cos(angle), math.sin(angle))


@cuda.jit
def cooley_tukey(x, sign):
    """One row per block, two elements per thread: bit reversal while loading, then butterflies in place."""
    data = cuda.shared.array(1024, complex64)
    tid = cuda.threadIdx.x
    row = cuda.blockIdx.x
    n = x.shape[1]
    bits = 0
    while (1 << bits) < n:
        bits += 1
    for i in range(tid, n, cuda.blockDim.x):
        reversed_i = cuda.brev(uint32(i)) >> (32 - bits)
        data[reversed_i] = x[row, i]
    cuda.syncthreads()
    half = 1
    while half < n:
        for k in range(tid, n // 2, cuda.blockDim.x):
            inside = k & (half - 1)
            low = 2 * k - inside
            turned = complex64(root(sign * math.pi * inside / half)) * data[low + half]
            other = data[low]
            data[low] = other + turned
            data[low + half] = other - turned
        cuda.syncthreads()
        half *= 2
    for i in range(tid, n, cuda.blockDim.x):
        x[row, i] = data[i]


@cuda.jit
def reverse_bits_by_loop(x, out):
    i = cuda.grid(1)
    if i < x.size:
        target, rest, n = 0, i, x.size
        while n > 1:
            target = (target << 1) | (rest & 1)
            rest >>= 1
            n >>= 1
        out[target] = x[i]


@cuda.jit
def stockham(re, im, sign):
    """Separate real and imaginary parts, between two halves of shared arrays; no bit reversal."""
    sre = cuda.shared.array((2, LARGEST), float32)
    sim = cuda.shared.array((2, LARGEST), float32)
    tid = cuda.threadIdx.x
    row = cuda.blockIdx.x
    n = re.shape[1]
    half = n // 2
    for i in range(tid, n, cuda.blockDim.x):
        sre[0, i] = re[row, i]
        sim[0, i] = im[row, i]
    cuda.syncthreads()
    now = 0
    length = 1
    while length < n:
        for k in range(tid, half, cuda.blockDim.x):
            inside = k % length
            angle = float32(sign * math.pi) * float32(inside) / float32(length)
            c, s = math.cos(angle), math.sin(angle)
            a, b = sre[now, k], sim[now, k]
            p, q = sre[now, k + half], sim[now, k + half]
            tr, ti = c * p - s * q, s * p + c * q
            where = 2 * k - inside
            sre[1 - now, where], sim[1 - now, where] = a + tr, b + ti
            sre[1 - now, where + length], sim[1 - now, where + length] = a - tr, b - ti
        now = 1 - now
        length *= 2
        cuda.syncthreads()
    for i in range(tid, n, cuda.blockDim.x):
        re[row, i] = sre[now, i]
        im[row, i] = sim[now, i]


@cuda.jit
def stage(source, target, length):
    """One Stockham stage in global memory, one butterfly per thread."""
    k = cuda.grid(1)
    half = source.size // 2
    if k >= half:
        return
    inside = k & (length - 1)
    turned = root(-math.pi * inside / length) * source[k + half]
    where = 2 * k - inside
    target[where] = source[k] + turned
    target[where + length] = source[k] - turned


@cuda.jit
def short_transform(x, columns):
    """A short transform in the registers of each thread: along axis 0, by definition."""
    sums = cuda.local.array(8, complex128)
    j = cuda.grid(1)
    if j < columns:
        for k in range(8):
            sums[k] = 0
            for i in range(8):
                sums[k] += x[i, j] * root(-2 * math.pi * i * k / 8)
        for k in range(8):
            x[k, j] = sums[k]


@cuda.jit
def multiply(a, b, scale):
    i = cuda.grid(1)
    if i < a.size:
        a[0, i] *= b[0, i] * scale


@cuda.jit
def power(spectrum, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = abs(spectrum[i]) ** 2


PTX = [
    (cooley_tukey, "(complex64[:, ::1], float64)"),
    (reverse_bits_by_loop, "(int64[::1], int64[::1])"),
    (stockham, "(float32[:, ::1], float32[:, ::1], int64)"),
    (stage, "(complex128[::1], complex128[::1], int64)"),
    (short_transform, "(complex128[:, ::1], int64)"),
    (multiply, "(complex64[:, ::1], complex64[:, ::1], float32)"),
    (power, "(complex128[::1], float64[::1])"),
]


def make_signal(*shape):
    rng = np.random.default_rng(shape[-1])
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def assert_near(found, expected, error):
    np.testing.assert_allclose(found, expected, rtol=0, atol=error * np.abs(expected).max())


@pytest.mark.parametrize("threads", [32, 100, 256])
@pytest.mark.parametrize("size", [2, 8, 64, 1024])
def test_cooley_tukey(size, threads):
    x = make_signal(3, size).astype(np.complex64)
    found = x.copy()
    cooley_tukey[3, threads](found, -1.0)
    assert_near(found, np.fft.fft(x), 1e-6)
    cooley_tukey[3, threads](found, 1.0)
    assert_near(found / size, x, 1e-6)


def test_bit_reversal():
    for bits in (0, 1, 6, 10):
        x = np.arange(1 << bits)
        out = np.zeros_like(x)
        reverse_bits_by_loop[-(-x.size // 48), 48](x, out)
        expected = [int(f"{i:0{bits}b}"[::-1], 2) if bits else 0 for i in range(x.size)]
        assert out.tolist() == expected


@pytest.mark.parametrize("threads", [1, 32, 128])
@pytest.mark.parametrize("size", [2, 16, 256, 1024])
def test_stockham(size, threads):
    x = make_signal(2, size)
    re, im = x.real.astype(np.float32), x.imag.astype(np.float32)
    stockham[2, threads](re, im, -1)
    assert_near(re + 1j * im, np.fft.fft(x), 2e-6)
    stockham[2, threads](re, im, 1)
    assert_near((re + 1j * im) / size, x, 2e-6)


@pytest.mark.parametrize("threads", [32, 50, 256])
@pytest.mark.parametrize("size", [1, 2, 4096])
def test_kernel_for_each_stage(size, threads):
    x = make_signal(size)
    source, target = cuda.to_device(x), cuda.device_array(size, np.complex128)
    length = 1
    while length < size:
        stage[-(-size // (2 * threads)), threads](source, target, length)
        source, target = target, source
        length *= 2
    spectrum = source.copy_to_host()
    assert_near(spectrum, np.fft.fft(x), 1e-13)
    energy = np.zeros(size)
    power[-(-size // threads), threads](spectrum, energy)
    np.testing.assert_allclose(energy.sum(), size * (np.abs(x) ** 2).sum(), rtol=1e-12)


@pytest.mark.parametrize("threads", [1, 40])
def test_short_transforms_in_local_memory(threads):
    x = make_signal(8, 40)
    found = x.copy()
    short_transform[-(-40 // threads), threads](found, 40)
    assert_near(found, np.fft.fft(x, axis=0), 1e-14)


def test_two_dimensions():
    x = make_signal(32, 64).astype(np.complex64)
    found = x.copy()
    cooley_tukey[32, 32](found, -1.0)
    turned = np.ascontiguousarray(found.T)
    cooley_tukey[64, 16](turned, -1.0)
    assert_near(turned.T, np.fft.fft2(x), 1e-6)


def test_convolution():
    rng = np.random.default_rng(1)
    a, b = rng.random(300), rng.random(200)
    spectra = np.zeros((2, 1, 512), np.complex64)
    spectra[0, 0, :300], spectra[1, 0, :200] = a, b
    first, second = cuda.to_device(spectra[0]), cuda.to_device(spectra[1])
    cooley_tukey[1, 128](first, -1.0)
    cooley_tukey[1, 128](second, -1.0)
    multiply[4, 128](first, second, np.float32(1 / 512))
    cooley_tukey[1, 128](first, 1.0)
    assert_near(first.copy_to_host()[0, :499].real, np.convolve(a, b), 1e-6)
