# The machine code of the benchmarks' kernels consists of whole-vector instructions, without element-wise memory access;
# that of others prefetches what processors do not.

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from treadle import cuda

BENCH = Path(__file__).resolve().parents[2] / "bench"
KERNELS = ["saxpy", "black_scholes_f32", "black_scholes_f64", "mandelbrot", "stencil", "matmul", "nbody"]


@pytest.fixture(scope="module")
def workloads():
    sys.path.insert(0, str(BENCH))
    try:
        import workloads
    finally:
        sys.path.remove(str(BENCH))
    return workloads


@pytest.mark.parametrize("name", KERNELS)
def test_no_gathers(name, workloads):
    path = BENCH / "kernels" / "cuda_python" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"bench_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    workload = workloads.make(name, tiny=True)
    kernel = getattr(module, name)
    kernel[1, workload.block](*workload.arguments)
    assert re.search(r"\bv?mov[au]p[sd]\b|\bv?movdq[au]", kernel.inspect("asm"))
    assert not re.search(r"\bvp?(gather|scatter)", kernel.inspect("asm"))
    assert "masked.gather" not in kernel.inspect("optimized")
    assert "masked.scatter" not in kernel.inspect("optimized")


@cuda.jit
def kinetic(particles, out):
    i = cuda.grid(1)
    if i < out.size:
        p = particles[i]
        out[i] = p.mass * (p.vx * p.vx + p.vy * p.vy)


@cuda.jit
def every_other(x, first):
    i = cuda.grid(1)
    if i < x.size and (i & 1) == first:
        x[i] *= 2


@cuda.jit
def every_other_in_rows(x, first, count, out):
    i = cuda.grid(1)
    if i < out.size and (i & 1) == first:
        total = 0.0
        for k in range(count):
            total += x[i + k]
        out[i] = total


def lanes_of(kernel):
    return int(re.search(r"<(16|32) x i1>", kernel.inspect("llvm"))[1])


def test_loads_under_masks_are_prefetched():
    """Once for each warp, not in loops of a thread."""
    x, out = np.ones(1000), np.zeros(900)
    every_other[4, 256](x, 1)
    assert (x == np.tile([1, 2], 500)).all()
    every_other_in_rows[4, 256](x, 0, 3, out)
    assert (out[::2] == 4).all()
    kernels = every_other, every_other_in_rows
    lines = [kernel.inspect("optimized").count("call void @llvm.prefetch") for kernel in kernels]
    has_masks = "llvm.masked.load" in every_other.inspect("optimized")
    assert lines == [lanes_of(every_other) * x.itemsize // 64 if has_masks else 0, 0]


def test_records_are_prefetched():
    """Each line once, however many fields are in it."""
    records = np.dtype([("vx", "f4"), ("mass", "f8"), ("vy", "f4"), ("rest", "f4", 4)], align=True)
    out = np.zeros(1000)
    kinetic[4, 256](np.ones(1000, records), out)
    assert (out == 2).all()
    lines = kinetic.inspect("optimized").count("call void @llvm.prefetch")
    assert lines == lanes_of(kinetic) * records.itemsize // 64


@cuda.jit
def first_other(text, pattern, out):
    i = cuda.grid(1)
    if i < out.size:
        j = 0
        while j < pattern.size and text[i + j] == pattern[j]:
            j += 1
        for k in range(pattern.size):
            if text[i + k] != pattern[k]:
                break
        out[i] = j * 100 + k


@cuda.jit
def next_and_last_same(text, pattern, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(i + 1, text.size):
            if text[k] == text[i]:
                break
        j = i
        while j > 0 and text[j - 1] == pattern[0]:
            j -= 1
        out[i] = j * 1000 + k


@pytest.mark.parametrize("kernel", [first_other, next_and_last_same], ids=lambda kernel: kernel.__name__)
def test_lockstep_counters_need_no_gathers(kernel):
    text = np.zeros(200, np.float32)
    kernel[2, 64](text, text[:9].copy(), np.zeros(128, np.int64))
    assert "masked.gather" not in kernel.inspect("llvm")


@cuda.jit
def reversed_bits(words, out):
    i = cuda.grid(1)
    if i < out.size:
        word, reverse = words[i], 0
        for _ in range(32):
            reverse = (reverse << 1) | (word & 1)
            word >>= 1
        out[i] = reverse


def test_loops_over_bits_are_unrolled():
    reversed_bits[2, 64](np.zeros(128, np.uint32), np.zeros(128, np.uint32))
    assert "bitreverse" in reversed_bits.inspect("optimized")


@cuda.jit
def sums_of_columns(a, out):
    column = cuda.grid(1)
    if column < out.size:
        total = np.float32(0.0)
        for row in range(a.shape[0]):
            total += a[row, column]
        out[column] = total


@cuda.jit
def products(a, factors, out):
    column = cuda.grid(1)
    if column < out.size:
        total = np.float32(0.0)
        for row in range(a.shape[0]):
            total += a[row, column] * factors[row]
        out[column] = total


@cuda.jit
def doubled(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for axis in range(3):
            x[i, axis] *= 2


def without_masks(kernel):
    """The code of warps whose lanes are all active: the block of the loop's first round."""
    return re.search(r"^range:.*?^\w+:", kernel.inspect("optimized"), re.M | re.S)[0]


def test_short_rows_are_loaded_as_whole_registers():
    x = np.ones((100, 3), np.float32)
    doubled[2, 64](x)
    assert (x == 2).all()
    assert re.search(r"load <\d+ x float>", without_masks(doubled))
    assert not re.search(r"load float,|masked\.gather|masked\.scatter", without_masks(doubled))


def test_short_rows_are_loaded_before_they_are_stored():
    doubled[1, 64](np.ones((64, 3), np.float32))
    text = without_masks(doubled)
    if "llvm.masked.store" not in text:
        pytest.skip("elements are stored one by one")
    assert not re.search(r"load <\d+ x float>", text[text.index("llvm.masked.store") :])


def test_columns_are_prefetched():
    a, out = np.ones((20, 70), np.float32), np.zeros(70, np.float32)
    sums_of_columns[1, 96](a, out)
    assert (out == 20).all()
    assert "call void @llvm.prefetch" in sums_of_columns.inspect("optimized")
    # What is multiplied with something else is often used again, and in the caches.
    products[1, 96](a, a[:, 0].copy(), out)
    assert "call void @llvm.prefetch" not in products.inspect("optimized")
