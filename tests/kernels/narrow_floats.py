# Variables and choices of float64 that hold float32 only, and some that just do not.
import math

import numpy as np
from treadle import cuda, float32

from kernels.harness import check

BLOCK = 64


@cuda.jit
def kept(x, out, wide):
    """Values that cross barriers."""
    part = cuda.shared.array(BLOCK, float32)
    i, tid = cuda.grid(1), cuda.threadIdx.x
    part[tid] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        other = part[tid - step] if tid >= step else 0
        cuda.syncthreads()
        part[tid] += other
        cuda.syncthreads()
        step *= 2
    if i < x.size:
        out[i] = part[tid]
        wide[i] = np.float64(part[tid]) + np.float64(other) * 1e-3


@cuda.jit
def single(x, out, wide):
    # CHECK-PTX-LABEL: .entry {{.*}}single
    # CHECK-PTX-NOT: .f64
    i = cuda.grid(1)
    if i < x.size:
        most = -math.inf
        for k in range(i % 5):
            most = max(most, x[i - k])
        # CHECK-PTX: st.global
        out[i] = most


@cuda.jit
def constants(x, out, wide):
    """0.1 and the least float64 are not float32."""
    i = cuda.grid(1)
    a = x[i] if i < x.size else -0.0
    if i < x.size:
        b = x[i] if i % 3 == 0 else 0.1
        c = x[i] if i % 3 == 1 else math.nan
        d = x[i] if i % 3 == 2 else 5e-324
        wide[i] = b
        wide[i + x.size] = d
        out[i] = a * 3.5
        out[i + x.size] = c + a


@cuda.jit
def extremes(x, out, wide):
    """Of arrays and of constants."""
    i = cuda.grid(1)
    if i < x.size:
        most, least = -math.inf, math.inf
        for k in range(i % 7):
            most, least = max(most, x[i - k]), min(x[i - k], least)
        last = -abs(most)
        before = most
        most = last if most < least else most
        out[i] = most
        out[i + x.size] = before
        wide[i] = np.float64(most) * np.float64(least)
        wide[i + x.size] = np.float64(last) + np.float64(before)


@cuda.jit
def rounded(x, out, wide):
    """One operation on values of float32 is rounded as in float32, two are not."""
    i = cuda.grid(1)
    if i < x.size:
        y = x[i - 1] if i > 0 else 1.5
        z = x[i - 2] if i > 1 else 2
        out[i] = y + (z if i % 2 else 3.0)
        out[i + x.size] = np.float64(y) * z if i % 5 else (np.float64(y) + z) - y
        if i % 7 == 6:
            out[i] = math.hypot(y, z)
        wide[i] = np.float64(y) * z
        wide[i + x.size] = np.float64(y) - z


@cuda.jit
def sources(x, out, wide):
    """Integers and float64 have more digits than float32, float16 has fewer."""
    i = cuda.grid(1)
    if i < x.size:
        a = x[i] if i % 2 else wide[i]
        b = x[i] if i % 2 else float(i + 16777217)
        c = np.float16(x[i]) if i % 2 else np.float16(0.5)
        c = x[i - 3] if i % 3 else c
        wide[i] = np.float64(a) + np.float64(b)
        wide[i + x.size] = c
        out[i] = c
        out[i + x.size] = np.float64(c) - 1


@cuda.jit
def rounded_by_name(x, out, wide):
    """The rounding stays, though the product of float32 could be fused with what follows."""
    i = cuda.grid(1)
    if i < x.size:
        y = x[i - 1]
        out[i] = np.float32(np.float64(x[i]) * y) - np.float32(1)
        out[i + x.size] = np.float32(np.float64(x[i] if x[i] > 0 else 0.0) * y) - y
        wide[i] = np.float64(np.float32(-(np.float64(x[i]) * np.float64(y)))) + np.float64(x[i])


@cuda.jit
def chained(x, out, wide, given):
    """One wide value, assigned to a variable or given, makes all wide that it reaches."""
    i = cuda.grid(1)
    if i < x.size:
        first, second, third, last = 1.0, 2.0, x[i], given
        for k in range(1, i % 5):
            first = second
            second = third if third > x[i - k] else float(x[i - k])
            third = abs(x[i]) if k % 2 else 0.1
            last = x[i - k]
            given = x[i] if k % 2 else 0.5
        wide[i] = first
        wide[i + x.size] = last if i % 2 else given
        out[i] = math.hypot(second if i % 2 else x[i], third)
        out[i + x.size] = last


@cuda.jit
def powers(x, out, wide):
    """Of float64, as exact as that; the exponent is an integer."""
    i = cuda.grid(1)
    if i < x.size:
        out[i] = (x[i] if i % 2 else 0.1) ** (i % 4)
        out[i + x.size] = (x[i] if i % 2 else 0.5) ** (i % 4)


KERNELS = [kept, single, constants, extremes, rounded, sources, rounded_by_name, powers]
PTX = [(kernel, "(float32[::1], float32[::1], float64[::1])") for kernel in KERNELS]
PTX += [(chained, "(float32[::1], float32[::1], float64[::1], float64)")]


def run():
    edges = [0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 3.4e38, -3.4e38, np.inf, -np.inf, np.nan, 0.1, 16777215.0]
    values = np.concatenate([edges, np.random.default_rng(0).normal(size=300 - len(edges)) * 1e3]).astype(np.float32)
    plain = np.random.default_rng(1).normal(size=300).astype(np.float32)
    for x in (values, plain):
        out, wide = np.zeros(600, np.float32), np.arange(600) + 1e-9
        for kernel in KERNELS:
            if kernel is not kept or x is plain:  # threads of the simulation warn of NaN
                check(kernel, 5, BLOCK, x, out, wide)
        check(chained, 5, BLOCK, x, out, wide, 1.0 / 3.0)
