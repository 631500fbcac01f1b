"""How many lanes vectors have on the CPU device (TREADLE_CPU_LANES), and what allows 16; sets of lanes."""

import pytest

# Prints for each kernel the lanes of its vectors; the results are checked.
KERNELS = """
import re

import numpy as np
from treadle import cuda, float32, int64, void


def lanes(kernel):
    return max(map(int, re.findall(r"<([0-9]+) x i(?:1|32|64)>", kernel.inspect("llvm"))))


@cuda.jit
def exchanged(x, out):
    # A row of 16 threads after the other, with barriers, values that cross them, local and shared arrays.
    tile = cuda.shared.array((64, 17), float32)
    own = cuda.local.array(3, float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    i = (cuda.blockIdx.x * cuda.blockDim.y + ty) * cuda.blockDim.x + tx
    for k in range(3):
        own[k] = x[i] * (k + 1)
    tile[ty, tx] = own[1]
    mine = own[2]
    if cuda.syncthreads_count(x[i] > 0) == 0:
        return
    if ty % 3 == 1 and tx < 11:
        mine += tile[ty - 1, 15 - tx]
    cuda.syncthreads()
    tile[ty, tx] = mine
    cuda.syncthreads()
    out[i] = tile[cuda.blockDim.y - 1 - ty, tx] + own[tx % 3]


@cuda.jit
def numbered(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = out[i] * 2 + cuda.laneid


@cuda.jit
def shuffled(x, out):
    i = cuda.grid(1)
    out[i] = x[i] + cuda.shfl_xor_sync(0xFFFFFFFF, x[i], 16)


@cuda.jit
def active(x, out):
    i = cuda.grid(1)
    if x[i] > 40:
        out[i] = cuda.activemask()


@cuda.jit
def shows(x):
    i = cuda.grid(1)
    if x[i] > 300:
        print(i)


@cuda.jit(device=True, forceinline=False)
def first_of_warp(value):
    return cuda.shfl_sync(0xFFFFFFFF, value, 0)


@cuda.jit
def through_function(x, out):
    i = cuda.grid(1)
    out[i] = first_of_warp(x[i])


def tiled(x, rows):
    expected = np.zeros_like(x)
    for block in range(x.size // (16 * rows)):
        part = x[block * 16 * rows :][: 16 * rows].reshape(rows, 16)
        mine = part * 3
        if not (part > 0).any():
            continue
        for y in range(1, rows, 3):
            mine[y, :11] += 2 * part[y - 1, :4:-1]
        end = mine[::-1] + part * (np.arange(16) % 3 + 1)
        expected[block * 16 * rows :][: 16 * rows] = end.ravel()
    return expected


x = np.arange(-512, 1536, dtype=np.float32)
for rows in (1, 2, 5, 63, 64):
    some, out = x[: x.size // (16 * rows) * 16 * rows], np.zeros_like(x)
    exchanged[some.size // (16 * rows), (16, rows)](some, out)
    assert np.array_equal(out[: some.size], tiled(some, rows)), rows
print("exchanged", lanes(exchanged))

numbers = np.arange(100, dtype=np.int64)
numbered[2, 64](numbers)
assert np.array_equal(numbers, np.arange(100) * 2 + np.arange(100) % 32)
print("numbered", lanes(numbered))

x, out = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
shuffled[2, 64](x, out)
assert np.array_equal(out, x + (x ^ 16))
print("shuffled", lanes(shuffled))

out[:] = 0
active[2, 64](x, out)
assert out[41:].tolist() == [-(1 << 9)] * 23 + [-1] * 64, out
print("active", lanes(active))

shows[2, 64](x)
print("shows", lanes(shows))

through_function[2, 64](x, out)
assert np.array_equal(out, x // 32 * 32)
print("through_function", lanes(through_function))


def with_lines(count):
    lines = ["@cuda.jit", "def kernel(x, out):"]
    lines += ["    i = cuda.grid(1)", "    if i < x.size:", "        v = total = x[i]"]
    for n in range(count):
        lines += [f"        if v > {n}:", f"            total = total * v + {n}"]
    names = {"cuda": cuda}
    exec("\\n".join([*lines, "        out[i] = total"]), names)
    return names["kernel"]


x = np.linspace(0, 9, 1000, dtype=np.float32)
for name, count in ("short", 3), ("long", 90):
    kernel, expected = with_lines(count), x.copy()
    for n in range(count):
        expected = np.where(x > n, expected * x + np.float32(n), expected)
    kernel[4, 256](x, out := np.zeros_like(x))
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    print(name, lanes(kernel))
"""

# What refers to a warp has all of it in one vector.
OF_WARPS = ["numbered 32", "shuffled 32", "active 32", "shows 32", "through_function 32"]


@pytest.mark.parametrize("wanted", ["16", "32"])
def test_number_of_lanes(run_python, wanted):
    printed = run_python(KERNELS, TREADLE_CPU_LANES=wanted)
    assert printed.splitlines() == [f"exchanged {wanted}", *OF_WARPS, f"short {wanted}", f"long {wanted}"]


def test_large_kernels_get_16(run_python):
    printed = run_python(KERNELS, TREADLE_CPU_LANES="0")
    assert printed.splitlines()[1:] == [*OF_WARPS, "short 32", "long 16"]


SETS = """
import numpy as np
from treadle import cuda


@cuda.jit
def left_at_barriers(x, out):
    # Which threads are left is kept as a number for each warp.
    i = cuda.grid(1)
    if x[i] % 3 == 0:
        return
    out[i] = cuda.syncthreads_count(x[i] % 2)
    if x[i] % 5 == 1:
        return
    cuda.syncthreads()
    out[i] += 1000 * x[i]


@cuda.jit
def equals(x, out):
    i = cuda.grid(1)
    same = cuda.match_any_sync(0xFFFFFFFF, x[i] % 7)
    if x[i] % 2:
        same = cuda.match_any_sync(cuda.activemask(), x[i] % 3)
    out[i] = same


random = np.random.default_rng(3)
for case in range(20):
    x = random.integers(0, 1000, 128)
    left_at_barriers[2, 64](x, out := np.zeros(128, np.int64))
    stays = x % 3 != 0
    odd = [np.count_nonzero((x % 2 == 1) & stays & (np.arange(128) // 64 == block)) for block in range(2)]
    expected = np.where(stays, np.repeat(odd, 64) + np.where(x % 5 == 1, 0, 1000 * x), 0)
    assert np.array_equal(out, expected), case
    equals[4, 32](x, out := np.zeros(128, np.int64))
    for warp in range(4):
        part = x[32 * warp :][:32]
        for lane, value in enumerate(part):
            among = (part % 2 == 1) & (part % 3 == value % 3) if value % 2 else part % 7 == value % 7
            wanted = int(np.packbits(among, bitorder="little").view(np.int32)[0])
            assert np.int32(out[32 * warp + lane]) == wanted, (case, warp, lane)
print("done")
"""


@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v3"])
def test_sets_out_of_numbers(run_python, processor):
    """Without registers for masks; for 16 lanes, too, where no warp is seen."""
    for lanes in "16", "32":
        assert run_python(SETS, TREADLE_CPU=processor, TREADLE_CPU_LANES=lanes) == "done\n"


def test_other_numbers_are_refused(run_python):
    code = """
from treadle import cuda

try:
    cuda.jit("void(int64[:])")(lambda x: None)
except ValueError as error:
    print(error)
"""
    expected = "TREADLE_CPU_LANES is 8; it must be 16 or 32, or 0 for a choice by kernel\n"
    assert run_python(code, TREADLE_CPU_LANES="8") == expected
