"""Prefix sums: Hillis-Steele, Blelloch in shared memory, warp scans with shuffles, and many blocks in three passes."""

import numpy as np
import pytest
from treadle import cuda, float32, int32, int64

FULL = 0xFFFFFFFF
THREADS = 128
CHUNK = 2 * THREADS
PADDED_CHUNK = CHUNK + CHUNK // 32


@cuda.jit
def hillis_steele(x, out):
    """Inclusive, between two halves of one array."""
    buffer = cuda.shared.array((2, 256), float32)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    source = 0
    buffer[source, tid] = x[i] if i < x.size else 0
    cuda.syncthreads()
    distance = 1
    while distance < cuda.blockDim.x:
        target = 1 - source
        value = buffer[source, tid]
        if tid >= distance:
            value += buffer[source, tid - distance]
        buffer[target, tid] = value
        source = target
        distance *= 2
        cuda.syncthreads()
    if i < out.size:
        out[i] = buffer[source, tid]


@cuda.jit
def in_place_scan(values):
    """Inclusive, in one array: all threads read before any writes."""
    tid = cuda.threadIdx.x
    distance = 1
    while distance < values.size:
        mine = values[tid]
        left = 0
        if tid >= distance:
            left = values[tid - distance]
        cuda.syncthreads()
        values[tid] = mine + left
        cuda.syncthreads()
        distance <<= 1


@cuda.jit(device=True)
def padded(n):
    """Skips one element in 32, so that power-of-two strides avoid bank conflicts."""
    return n + (n >> 5)


@cuda.jit
def blelloch(x, out, sums):
    """Exclusive over CHUNK elements per block: up the tree, then down; two elements per thread."""
    temp = cuda.shared.array(PADDED_CHUNK, int64)
    tid = cuda.threadIdx.x
    base = cuda.blockIdx.x * CHUNK
    low, high = tid, tid + THREADS
    temp[padded(low)] = x[base + low] if base + low < x.size else 0
    temp[padded(high)] = x[base + high] if base + high < x.size else 0

    offset = 1
    d = CHUNK >> 1
    while d > 0:
        cuda.syncthreads()
        if tid < d:
            ai = padded(offset * (2 * tid + 1) - 1)
            bi = padded(offset * (2 * tid + 2) - 1)
            temp[bi] += temp[ai]
        offset *= 2
        d >>= 1

    if tid == 0:
        last = padded(CHUNK - 1)
        sums[cuda.blockIdx.x] = temp[last]
        temp[last] = 0

    d = 1
    while d < CHUNK:
        offset >>= 1
        cuda.syncthreads()
        if tid < d:
            ai = padded(offset * (2 * tid + 1) - 1)
            bi = padded(offset * (2 * tid + 2) - 1)
            temp[ai], temp[bi] = temp[bi], temp[ai] + temp[bi]
        d *= 2
    cuda.syncthreads()

    if base + low < out.size:
        out[base + low] = temp[padded(low)]
    if base + high < out.size:
        out[base + high] = temp[padded(high)]


@cuda.jit
def add_offsets(out, offsets):
    base = cuda.blockIdx.x * CHUNK
    offset = offsets[cuda.blockIdx.x]
    for i in range(base + cuda.threadIdx.x, min(base + CHUNK, out.size), THREADS):
        out[i] += offset


@cuda.jit(device=True)
def warp_scan(value, lane):
    """Inclusive over the warp."""
    distance = 1
    while distance < 32:
        left = cuda.shfl_up_sync(0xFFFFFFFF, value, distance)
        if lane >= distance:
            value += left
        distance <<= 1
    return value


@cuda.jit
def scan_warps(x, out):
    i = cuda.grid(1)
    value = x[i] if i < x.size else 0
    value = warp_scan(value, cuda.laneid)
    if i < out.size:
        out[i] = value


@cuda.jit
def scan_block(x, out):
    """Inclusive over a block: within warps, over the warps' sums in the first warp, and both together."""
    sums = cuda.shared.array(32, int32)
    tid = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    lane, warp = tid % 32, tid // 32
    warps = cuda.blockDim.x * cuda.blockDim.y // 32
    i = cuda.blockIdx.x * warps * 32 + tid
    value = warp_scan(x[i] if i < x.size else int32(0), lane)
    if lane == 31:
        sums[warp] = value
    cuda.syncthreads()
    if warp == 0:
        mine = sums[lane] if lane < warps else int32(0)
        sums[lane] = warp_scan(mine, lane)
    cuda.syncthreads()
    if warp > 0:
        value += sums[warp - 1]
    if i < out.size:
        out[i] = value


@cuda.jit
def segmented_scan(x, heads, out):
    """Sums that restart at every head, all within one warp."""
    i = cuda.grid(1)
    lane = cuda.laneid
    value = x[i]
    starts = cuda.ballot_sync(FULL, heads[i] != 0) | 1
    before_me = starts & ((2 << lane) - 1)
    first = 63 - cuda.clz(int64(before_me))
    for step in (1, 2, 4, 8, 16):
        left = cuda.shfl_up_sync(FULL, value, step)
        if lane - step >= first:
            value += left
    out[i] = value


PTX = [
    (hillis_steele, "(float32[::1], float32[::1])"),
    (in_place_scan, "(int64[::1],)"),
    (blelloch, "(int64[::1], int64[::1], int64[::1])"),
    (add_offsets, "(int64[::1], int64[::1])"),
    (scan_warps, "(float64[::1], float64[::1])"),
    (scan_block, "(int32[::1], int32[::1])"),
    (segmented_scan, "(int32[::1], int8[::1], int64[::1])"),
]


def exclusive_scan(x):
    """Chunks, then the chunks' sums in the same way, then the sum of all preceding chunks is added to each chunk."""
    blocks = -(-x.size // CHUNK)
    out = cuda.device_array(x.shape, np.int64)
    sums = cuda.device_array(blocks, np.int64)
    blelloch[blocks, THREADS](x, out, sums)
    if blocks > 1:
        add_offsets[blocks, THREADS](out, exclusive_scan(sums))
    return out


def whole_numbers(size, dtype):
    return np.random.default_rng(size).integers(-50, 50, size).astype(dtype)


def scan_by_blocks(x, threads):
    parts = [np.cumsum(x[start : start + threads], dtype=x.dtype) for start in range(0, x.size, threads)]
    return np.concatenate(parts)


@pytest.mark.parametrize("threads", [1, 32, 50, 256])
@pytest.mark.parametrize("size", [1, 33, 256, 1000])
def test_hillis_steele(size, threads):
    x = whole_numbers(size, np.float32)
    out = np.zeros_like(x)
    hillis_steele[-(-size // threads), threads](x, out)
    np.testing.assert_array_equal(out, scan_by_blocks(x, threads))


@pytest.mark.parametrize("size", [1, 2, 31, 64, 333, 1024])
def test_in_place(size):
    x = whole_numbers(size, np.int64)
    values = x.copy()
    in_place_scan[1, size](values)
    np.testing.assert_array_equal(values, np.cumsum(x))


@pytest.mark.parametrize("size", [1, 100, CHUNK, CHUNK + 1, 5 * CHUNK, 10_000, CHUNK * CHUNK + 7])
def test_three_passes(size):
    x = whole_numbers(size, np.int64)
    expected = np.cumsum(x) - x
    np.testing.assert_array_equal(exclusive_scan(cuda.to_device(x)).copy_to_host(), expected)


@pytest.mark.parametrize("threads", [32, 96, 512])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_warps(dtype, threads):
    x = whole_numbers(1000, dtype)
    out = np.zeros_like(x)
    scan_warps[-(-x.size // threads), threads](x, out)
    np.testing.assert_array_equal(out, scan_by_blocks(x, 32))


@pytest.mark.parametrize("block", [32, 96, 1024, (8, 8), (32, 16), (20, 8)])
@pytest.mark.parametrize("size", [1, 1000, 2048])
def test_blocks(size, block):
    x = whole_numbers(size, np.int32)
    out = np.zeros_like(x)
    threads = int(np.prod(block))
    scan_block[-(-size // threads), block](x, out)
    np.testing.assert_array_equal(out, scan_by_blocks(x, threads))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_segments(share):
    x = whole_numbers(256, np.int32)
    heads = (np.random.default_rng(1).random(x.size) < share).astype(np.int8)
    out = np.zeros(x.size, np.int64)
    segmented_scan[2, 128](x, heads, out)
    total, expected = 0, []
    for i in range(x.size):
        total = int(x[i]) if heads[i] or i % 32 == 0 else total + int(x[i])
        expected.append(total)
    assert out.tolist() == expected
