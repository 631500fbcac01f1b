"""Softmax of rows: a block per row with shared reductions, a warp per row with shuffles, and in a single pass."""

import math

import numpy as np
import pytest
from treadle import cuda, float32

FULL = 0xFFFFFFFF
THREADS = 128


@cuda.jit(device=True)
def reduce_max(scratch, value, tid):
    scratch[tid] = value
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if tid < half:
            scratch[tid] = max(scratch[tid], scratch[tid + half])
        cuda.syncthreads()
        half //= 2
    result = scratch[0]
    cuda.syncthreads()
    return result


@cuda.jit(device=True)
def reduce_sum(scratch, value, tid):
    scratch[tid] = value
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if tid < half:
            scratch[tid] += scratch[tid + half]
        cuda.syncthreads()
        half //= 2
    result = scratch[0]
    cuda.syncthreads()
    return result


@cuda.jit
def softmax_by_blocks(x, out):
    scratch = cuda.shared.array(1024, float32)
    tid = cuda.threadIdx.x
    row = cuda.blockIdx.x
    columns = x.shape[1]
    largest = float32(-math.inf)
    for j in range(tid, columns, cuda.blockDim.x):
        largest = max(largest, x[row, j])
    largest = reduce_max(scratch, largest, tid)
    total = float32(0)
    for j in range(tid, columns, cuda.blockDim.x):
        power = math.exp(x[row, j] - largest)
        out[row, j] = power
        total += power
    total = reduce_sum(scratch, total, tid)
    for j in range(tid, columns, cuda.blockDim.x):
        out[row, j] /= total


@cuda.jit
def softmax_by_warps(x, out):
    """One row per 32 threads, blockDim.y rows at a time; rows are distributed over the grid."""
    lane = cuda.threadIdx.x
    first = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    for row in range(first, x.shape[0], cuda.gridDim.x * cuda.blockDim.y):
        line = x[row]
        largest = float32(-math.inf)
        for j in range(lane, line.size, 32):
            largest = max(largest, line[j])
        for step in (16, 8, 4, 2, 1):
            largest = max(largest, cuda.shfl_xor_sync(FULL, largest, step))
        total = float32(0)
        for j in range(lane, line.size, 32):
            total += math.exp(line[j] - largest)
        for step in (16, 8, 4, 2, 1):
            total += cuda.shfl_xor_sync(FULL, total, step)
        for j in range(lane, line.size, 32):
            out[row, j] = math.exp(line[j] - largest) / total


@cuda.jit(device=True)
def merged(a, b):
    """The maximum and the sum of exponentials of the union of two parts of a row."""
    largest = max(a[0], b[0])
    if largest == -math.inf:
        return largest, float32(0)
    return largest, a[1] * math.exp(a[0] - largest) + b[1] * math.exp(b[0] - largest)


@cuda.jit
def softmax_online(x, out):
    """Maximum and sum in one pass, and a tree over pairs of them."""
    maxima = cuda.shared.array(THREADS, float32)
    totals = cuda.shared.array(THREADS, float32)
    tid = cuda.threadIdx.x
    row = cuda.blockIdx.x
    part = float32(-math.inf), float32(0)
    for j in range(tid, x.shape[1], THREADS):
        part = merged(part, (x[row, j], float32(1)))
    maxima[tid], totals[tid] = part
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if tid < half:
            part = merged((maxima[tid], totals[tid]), (maxima[tid + half], totals[tid + half]))
            maxima[tid], totals[tid] = part
        cuda.syncthreads()
        half //= 2
    largest, total = maxima[0], totals[0]
    for j in range(tid, x.shape[1], THREADS):
        out[row, j] = math.exp(x[row, j] - largest) / total


@cuda.jit
def layer_norm(x, gain, bias, out, epsilon):
    """Mean and variance of each row with the same reductions."""
    scratch = cuda.shared.array(1024, float32)
    tid = cuda.threadIdx.x
    row = cuda.blockIdx.x
    columns = x.shape[1]
    total = float32(0)
    for j in range(tid, columns, cuda.blockDim.x):
        total += x[row, j]
    mean = reduce_sum(scratch, total, tid) / columns
    squares = float32(0)
    for j in range(tid, columns, cuda.blockDim.x):
        squares += (x[row, j] - mean) ** 2
    variance = reduce_sum(scratch, squares, tid) / columns
    scale = 1 / math.sqrt(variance + epsilon)
    for j in range(tid, columns, cuda.blockDim.x):
        out[row, j] = (x[row, j] - mean) * scale * gain[j] + bias[j]


ROWS = "(float32[:, ::1], float32[:, ::1])"
PTX = [
    (softmax_by_blocks, ROWS),
    (softmax_by_warps, ROWS),
    (softmax_online, ROWS),
    (layer_norm, "(float32[:, ::1], float32[::1], float32[::1], float32[:, ::1], float32)"),
]

SHAPES = [(1, 1), (3, 32), (7, 100), (20, 1000)]


def make_rows(shape):
    return np.random.default_rng(sum(shape)).normal(0, 30, shape).astype(np.float32)


def softmax_numpy(x):
    powers = np.exp(x.astype(float) - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


@pytest.mark.parametrize("threads", [1, 32, 64, 256, 1024])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_block_for_each_row(shape, threads):
    x = make_rows(shape)
    out = np.zeros_like(x)
    softmax_by_blocks[shape[0], threads](x, out)
    np.testing.assert_allclose(out, softmax_numpy(x), rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize(("blocks", "rows"), [(1, 1), (2, 4), (5, 8)])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_warp_for_each_row(shape, blocks, rows):
    x = make_rows(shape)
    out = np.zeros_like(x)
    softmax_by_warps[blocks, (32, rows)](x, out)
    np.testing.assert_allclose(out, softmax_numpy(x), rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_single_pass(shape):
    x = make_rows(shape)
    out = np.zeros_like(x)
    softmax_online[shape[0], THREADS](x, out)
    np.testing.assert_allclose(out, softmax_numpy(x), rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("threads", [1, 64, 256])
@pytest.mark.parametrize("shape", [(3, 32), (20, 333)])
def test_layer_norm(shape, threads):
    x = make_rows(shape)
    gain, bias = np.random.default_rng(1).random((2, shape[1]), dtype=np.float32)
    out = np.zeros_like(x)
    layer_norm[shape[0], threads](x, gain, bias, out, np.float32(1e-5))
    exact = x.astype(float)
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + 1e-5) * gain + bias
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
