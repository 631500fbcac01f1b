"""Cases: arithmetic, memory of threads and blocks, functions, types."""

import math

import numpy as np
from numba import cuda, float32, float64, guvectorize, int32, types, uint64, vectorize

from numba_launches.cases import case


@cuda.jit
def axpy_kernel(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@case
def axpy():
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    axpy_kernel[4, 256](np.float32(2), x, y)
    np.testing.assert_array_equal(y, 2 * np.arange(1000, dtype=np.float32) + 1)


@case
def many_types():
    for name in "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split():
        x, y = np.arange(1, 65).astype(name), np.full(64, 3, name)
        axpy_kernel[2, 32](x.dtype.type(2), x, y)
        np.testing.assert_array_equal(y, 2 * np.arange(1, 65).astype(name) + x.dtype.type(3))


@cuda.jit
def sum_kernel(x, out):
    tile = cuda.shared.array(128, float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    tile[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 64
    while step:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@case
def sum_in_shared_memory():
    x, out = np.random.default_rng(1).random(1000), np.zeros(8)
    sum_kernel[8, 128](x, out)
    np.testing.assert_allclose(out.sum(), x.sum(), rtol=1e-12)


@cuda.jit
def reverse_kernel(x):
    tile = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    x[t] = tile[cuda.blockDim.x - 1 - t]


@case
def dynamic_shared_memory():
    for count in (64, 1024):
        x = np.arange(count, dtype=np.int32)
        reverse_kernel[1, count, 0, 4 * count](x)
        np.testing.assert_array_equal(x, np.arange(count)[::-1])


@cuda.jit
def local_kernel(x, out):
    i = cuda.grid(1)
    values = cuda.local.array((4, 5), float32)
    for a in range(4):
        for b in range(5):
            values[a, b] = x[i] * a + b
    total = float32(0)
    for a in range(4):
        for b in range(5):
            total += values[(a + i) % 4, (b + i) % 5]
    out[i] = total


@case
def local_arrays():
    x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    local_kernel[2, 32](x, out)
    np.testing.assert_array_equal(out, x * 6 * 5 + 4 * 10)


particle = np.dtype([("at", np.float32, 3), ("mass", np.float64), ("kind", np.int8)], align=True)


@cuda.jit
def record_kernel(particles, moment):
    i = cuda.grid(1)
    if i < particles.size:
        p = particles[i]
        p.kind = p.kind + 1
        moment[i] = p.mass * (p.at[0] + p.at[1] + p.at[2])


@case
def records():
    particles = np.zeros(100, particle)
    particles["at"] = np.random.default_rng(2).random((100, 3))
    particles["mass"] = np.arange(100)
    moment = np.zeros(100)
    record_kernel[4, 32](particles, moment)
    np.testing.assert_allclose(moment, np.arange(100) * particles["at"].sum(1, dtype=np.float64), rtol=1e-6)
    assert (particles["kind"] == 1).all()


@cuda.jit
def mandelbrot_kernel(out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        c, z = complex(-2 + 3 * i / 32, -1 + 2 * j / 32), 0j
        count = 0
        while count < 50 and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            count += 1
        out[i, j] = count


@case
def complex_numbers():
    out = np.zeros((32, 32), np.int32)
    mandelbrot_kernel[(4, 4), (8, 8)](out)
    expected = np.zeros_like(out)
    for i in range(32):
        for j in range(32):
            c, z, count = complex(-2 + 3 * i / 32, -1 + 2 * j / 32), 0j, 0
            while count < 50 and z.real * z.real + z.imag * z.imag < 4:
                z, count = z * z + c, count + 1
            expected[i, j] = count
    assert (out != expected).mean() < 0.02  # numba-cuda fuses products and sums


@cuda.jit
def stencil_kernel(x, out):
    tile = cuda.shared.array((10, 10), float32)
    i, j = cuda.grid(2)
    ti, tj = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    n, m = x.shape
    tile[ti, tj] = x[i, j]
    if ti == 1:
        tile[0, tj] = x[max(i - 1, 0), j]
    if ti == 8:
        tile[9, tj] = x[min(i + 1, n - 1), j]
    if tj == 1:
        tile[ti, 0] = x[i, max(j - 1, 0)]
    if tj == 8:
        tile[ti, 9] = x[i, min(j + 1, m - 1)]
    cuda.syncthreads()
    out[i, j] = tile[ti - 1, tj] + tile[ti + 1, tj] + tile[ti, tj - 1] + tile[ti, tj + 1] - 4 * tile[ti, tj]


@case
def stencil_of_two_dimensions():
    x, out = np.random.default_rng(3).integers(0, 100, (32, 24)).astype(np.float32), np.zeros((32, 24), np.float32)
    stencil_kernel[(4, 3), (8, 8)](x, out)
    p = np.pad(x, 1, "edge")
    np.testing.assert_array_equal(out, p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * x)


@cuda.jit
def multiply_kernel(a, b, c):
    x, y = cuda.shared.array((8, 8), float64), cuda.shared.array((8, 8), float64)
    i, j = cuda.grid(2)
    ti, tj = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for k in range(a.shape[1] // 8):
        x[ti, tj] = a[i, k * 8 + tj]
        y[ti, tj] = b[k * 8 + ti, j]
        cuda.syncthreads()
        for m in range(8):
            total += x[ti, m] * y[m, tj]
        cuda.syncthreads()
    c[i, j] = total


@case
def product_of_matrices():
    random = np.random.default_rng(4)
    a, b, c = random.random((16, 24)), random.random((24, 32)), np.zeros((16, 32))
    multiply_kernel[(2, 4), (8, 8)](a, np.asfortranarray(b), c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-12)


@cuda.jit(device=True, inline="never")
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@cuda.jit("int64(int64)", device=True)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit
def functions_kernel(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = gcd(x[i], y[i]) + fibonacci(x[i] % 10)


@case
def device_functions():
    random = np.random.default_rng(5)
    x, y, out = random.integers(1, 1000, 100), random.integers(1, 1000, 100), np.zeros(100, np.int64)
    functions_kernel[4, 32](x, y, out)
    small = [0, 1]
    while len(small) < 10:
        small.append(small[-1] + small[-2])
    np.testing.assert_array_equal(out, np.gcd(x, y) + np.array(small)[x % 10])


ROUNDED = "floor ceil trunc fabs sqrt".split()
ULPS = "sin cos tan asin acos atan sinh cosh tanh exp expm1 log1p log log2 log10 erf erfc gamma lgamma cbrt".split()


@cuda.jit
def math_kernel(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[0, i] = math.floor(v * 10)
        out[1, i] = math.sqrt(v)
        out[2, i] = math.sin(v) + math.cos(v) * math.tan(v)
        out[3, i] = math.exp(v) + math.expm1(v) + math.log1p(v) + math.log(v + 1)
        out[4, i] = math.pow(v, 2.5) + math.hypot(v, 2.0) + math.atan2(v, 3.0) + math.fmod(v * 7, 3.0)
        out[5, i] = math.erf(v) + math.gamma(v + 1) + math.lgamma(v + 2)
        out[6, i] = math.asin(v) + math.acos(v) + math.sinh(v) + math.tanh(v) + math.log2(v + 1) + math.log10(v + 1)


@case
def math_functions():
    x = np.random.default_rng(6).random(64)
    out = np.zeros((7, 64))
    math_kernel[2, 32](x, out)
    lgamma, erf, gamma = np.vectorize(math.lgamma), np.vectorize(math.erf), np.vectorize(math.gamma)
    expected = [
        np.floor(x * 10),
        np.sqrt(x),
        np.sin(x) + np.cos(x) * np.tan(x),
        np.exp(x) + np.expm1(x) + np.log1p(x) + np.log(x + 1),
        x**2.5 + np.hypot(x, 2) + np.arctan2(x, 3) + np.fmod(x * 7, 3),
        erf(x) + gamma(x + 1) + lgamma(x + 2),
        np.arcsin(x) + np.arccos(x) + np.sinh(x) + np.tanh(x) + np.log2(x + 1) + np.log10(x + 1),
    ]
    np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-15)


@cuda.jit(fastmath=True)
def fast_kernel(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.sin(x[i]) / math.cos(x[i]) + math.exp(x[i]) + math.sqrt(x[i]) + math.log(x[i] + float32(1))


@case
def fast_math():
    x = np.random.default_rng(7).random(64).astype(np.float32)
    out = np.zeros_like(x)
    fast_kernel[2, 32](x, out)
    np.testing.assert_allclose(out, np.tan(x) + np.exp(x) + np.sqrt(x) + np.log(x + 1), rtol=1e-4)


@cuda.jit
def integers_kernel(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] // y[i]
        out[1, i] = x[i] % y[i]
        out[2, i] = x[i] << (y[i] & 31)
        out[3, i] = x[i] >> (y[i] & 31)
        out[4, i] = cuda.popc(x[i]) + cuda.clz(x[i]) + cuda.ffs(x[i])
        out[5, i] = cuda.brev(uint64(x[i]))
        out[6, i] = cuda.selp(x[i] > y[i], x[i], y[i])
        out[7, i] = (x[i] & y[i]) ^ (x[i] | y[i])


@case
def integers():
    random = np.random.default_rng(8)
    x, y = random.integers(-(2**62), 2**62, 64), random.integers(1, 2**40, 64) * random.choice([-1, 1], 64)
    out = np.zeros((8, 64), np.int64)
    integers_kernel[2, 32](x, y, out)
    bits = [np.binary_repr(v, 64) for v in x]
    counted = [b.count("1") + (64 - len(b.lstrip("0"))) + len(b) - len(b.rstrip("0")) + 1 for b in bits]
    reversed_bits = np.array([int(b[::-1], 2) for b in bits], np.uint64).view(np.int64)
    expected = [x // y, x % y, x << (y & 31), x >> (y & 31), counted, reversed_bits, np.maximum(x, y), x ^ y]
    np.testing.assert_array_equal(out, expected)


TABLE = np.arange(20, dtype=np.float64) ** 2


@cuda.jit
def constant_kernel(out):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = table[i % 20] + table[(i * 7) % 20]


@case
def constant_arrays():
    out = np.zeros(64)
    constant_kernel[2, 32](out)
    i = np.arange(64)
    np.testing.assert_array_equal(out, TABLE[i % 20] + TABLE[(i * 7) % 20])


@cuda.jit
def tuple_kernel(pair, arrays, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = pair[0] * arrays[0][i] + pair[1] * arrays[1][i]


@case
def tuples():
    x, y, out = np.arange(32.0), np.arange(32.0) ** 2, np.zeros(32)
    tuple_kernel[1, 32]((2, 0.5), (x, y), out)
    np.testing.assert_array_equal(out, 2 * x + y / 2)


@cuda.jit
def strides_kernel(x, out):
    i, j, k = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        out[k, j, i] = x[i, j, k]


@case
def strides():
    x = np.arange(4 * 6 * 8, dtype=np.int16).reshape(4, 6, 8)
    out = np.zeros((8, 3, 2), np.int16)
    strides_kernel[(1, 1, 2), (2, 4, 4)](cuda.to_device(x)[::2, 1::2], out)
    np.testing.assert_array_equal(out, x[::2, 1::2].T)


@case
def half_floats():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = x[i] * x[i] + x[i]

    x = np.arange(32).astype(np.float16) / 4
    out = np.zeros(32, np.float16)
    kernel[1, 32](x, out)
    np.testing.assert_allclose(out, x * x + x, rtol=2e-3)


@case
def universal_functions():
    @vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
    def blend(a, b):
        return a * 2 + math.sqrt(b)

    for kind in (np.float32, np.float64):
        x, y = np.arange(100, dtype=kind), np.arange(100, dtype=kind) ** 2
        np.testing.assert_array_equal(blend(x, y), 2 * x + np.arange(100, dtype=kind))
    np.testing.assert_array_equal(blend(np.ones((3, 1)), np.full(4, 4.0)), np.full((3, 4), 4.0))


@case
def generalized_universal_functions():
    @guvectorize(["void(float64[:,:], float64[:], float64[:])"], "(m,n),(n)->(m)", target="cuda")
    def apply(matrix, vector, out):
        for i in range(matrix.shape[0]):
            total = 0.0
            for j in range(matrix.shape[1]):
                total += matrix[i, j] * vector[j]
            out[i] = total

    random = np.random.default_rng(9)
    matrices, vectors = random.random((10, 3, 4)), random.random((10, 4))
    np.testing.assert_allclose(apply(matrices, vectors), np.einsum("kij,kj->ki", matrices, vectors), rtol=1e-12)


@case
def vectors():
    @cuda.jit
    def kernel(out):
        a = cuda.float32x4(1.0, 2.0, 3.0, 4.0)
        b = cuda.int64x2(5, 6)
        out[0] = a.x + a.y * a.z - a.w + b.x * b.y

    out = np.zeros(1, np.float32)
    kernel[1, 1](out)
    assert out[0] == 33


@case
def signatures_and_registers():
    @cuda.jit(types.void(int32[:], int32), max_registers=32, launch_bounds=(128, 2))
    def kernel(x, n):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += n

    x = np.zeros(100, np.int32)
    kernel[1, 128](x, 5)
    assert (x == 5).all()
    compiled = next(iter(kernel.overloads.values()))
    assert 0 < compiled.regs_per_thread <= 32
    assert compiled.max_threads_per_block == 128
