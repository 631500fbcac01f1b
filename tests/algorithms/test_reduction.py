"""Sums, maxima and their positions: trees in shared memory, warp shuffles, both, and the last block to finish."""

import numpy as np
import pytest
from treadle import cuda, float32, float64, int64, uint32

FULL = 0xFFFFFFFF
SIZES = (1, 31, 64, 1000, 4096, 5003)


@cuda.jit
def interleaved_tree(x, out):
    """Neighbours first, then pairs of neighbours: increasing distances."""
    sdata = cuda.shared.array(256, int64)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    sdata[tid] = x[i] if i < x.size else 0
    cuda.syncthreads()
    s = 1
    while s < cuda.blockDim.x:
        if tid % (2 * s) == 0 and tid + s < cuda.blockDim.x:
            sdata[tid] += sdata[tid + s]
        s *= 2
        cuda.syncthreads()
    if tid == 0:
        out[cuda.blockIdx.x] = sdata[0]


@cuda.jit
def sequential_tree(x, out):
    """Decreasing distances; each thread adds two elements while loading."""
    sdata = cuda.shared.array(0, float64)
    tid = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x * 2 + tid
    mine = 0.0
    if i < x.size:
        mine = x[i]
    if i + cuda.blockDim.x < x.size:
        mine += x[i + cuda.blockDim.x]
    sdata[tid] = mine
    cuda.syncthreads()
    s = cuda.blockDim.x >> 1
    while s > 0:
        if tid < s:
            sdata[tid] += sdata[tid + s]
        cuda.syncthreads()
        s >>= 1
    if tid == 0:
        cuda.atomic.add(out, 0, sdata[0])


@cuda.jit
def unrolled_tree(x, out):
    """The last warp needs no barrier of the block, only one of its own."""
    sdata = cuda.shared.array(256, float32)
    tid = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    sdata[tid] = total
    cuda.syncthreads()
    if tid < 128:
        sdata[tid] += sdata[tid + 128]
    cuda.syncthreads()
    if tid < 64:
        sdata[tid] += sdata[tid + 64]
    cuda.syncthreads()
    if tid < 32:
        for distance in (32, 16, 8, 4, 2, 1):
            total = sdata[tid] + sdata[tid + distance]
            cuda.syncwarp()
            sdata[tid] = total
            cuda.syncwarp()
        if tid == 0:
            cuda.atomic.add(out, 0, sdata[0])


@cuda.jit(device=True)
def warp_sum(value):
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    return value


@cuda.jit
def shuffled_sum(x, out):
    i = cuda.grid(1)
    value = x[i] if i < x.size else x.dtype.type(0)
    value = warp_sum(value)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, value)


@cuda.jit
def butterfly_sum(x, out):
    """Every lane gets the sum of its warp."""
    i = cuda.grid(1)
    value = x[i] if i < x.size else 0
    for step in range(5):
        value += cuda.shfl_xor_sync(FULL, value, 1 << step)
    if i < out.size:
        out[i] = value


@cuda.jit(device=True)
def block_sum(value, tid, threads):
    """The sum over the block, in its first thread: shuffles within warps, then over the warps' sums."""
    sums = cuda.shared.array(32, float32)
    lane = tid & 31
    warp = tid >> 5
    value = warp_sum(value)
    if lane == 0:
        sums[warp] = value
    cuda.syncthreads()
    value = sums[lane] if tid < threads // 32 else float32(0)
    if warp == 0:
        value = warp_sum(value)
    return value


@cuda.jit
def two_level_sum(x, out):
    tid = cuda.threadIdx.x + cuda.threadIdx.y * cuda.blockDim.x
    threads = cuda.blockDim.x * cuda.blockDim.y
    total = float32(0)
    first = cuda.blockIdx.x * threads + tid
    for i in range(first, x.size, cuda.gridDim.x * threads):
        total += x[i]
    total = block_sum(total, tid, threads)
    if tid == 0:
        cuda.atomic.add(out, 0, total)


@cuda.jit
def last_block_sum(x, partial, count, out):
    """The block that finishes last adds up the others' results, so that the order of the sum is fixed."""
    sdata = cuda.shared.array(128, float64)
    is_last = cuda.shared.array(1, uint32)
    tid = cuda.threadIdx.x
    total = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    for level in range(2):
        sdata[tid] = total
        cuda.syncthreads()
        half = 64
        while half > 0:
            if tid < half:
                sdata[tid] += sdata[tid + half]
            cuda.syncthreads()
            half //= 2
        if level == 1:
            if tid == 0:
                out[0] = sdata[0]
            return
        if tid == 0:
            partial[cuda.blockIdx.x] = sdata[0]
            cuda.threadfence()
            ticket = cuda.atomic.inc(count, 0, cuda.gridDim.x - 1)
            cuda.threadfence()
            is_last[0] = ticket == cuda.gridDim.x - 1
        cuda.syncthreads()
        if is_last[0] == 0:
            return
        total = 0.0
        for i in range(tid, cuda.gridDim.x, 128):
            total += partial[i]


@cuda.jit
def argmax(x, best, where):
    """The largest element of each block and its first position."""
    values = cuda.shared.array(32, float32)
    places = cuda.shared.array(32, cuda.int32)
    tid = cuda.threadIdx.x
    value, place = float32(-np.inf), cuda.int32(-1)
    i = cuda.grid(1)
    if i < x.size:
        value, place = x[i], cuda.int32(i)
    for level in range(2):
        for step in (16, 8, 4, 2, 1):
            other = cuda.shfl_down_sync(FULL, value, step)
            other_place = cuda.shfl_down_sync(FULL, place, step)
            if other > value or (other == value and other_place < place):
                value, place = other, other_place
        if level == 1:
            break
        if tid % 32 == 0:
            values[tid // 32] = value
            places[tid // 32] = place
        cuda.syncthreads()
        if tid >= 32:
            return
        inside = tid < cuda.blockDim.x // 32
        value = values[tid] if inside else float32(-np.inf)
        place = places[tid] if inside else cuda.int32(-1)
    if tid == 0:
        best[cuda.blockIdx.x] = value
        where[cuda.blockIdx.x] = place


@cuda.jit
def count_above(x, bound, counts, flags):
    """The number of a block's elements above the bound, whether there are any, and whether all are."""
    i = cuda.grid(1)
    above = 1 if i < x.size and x[i] > bound else 0
    counted = cuda.syncthreads_count(above)
    some = cuda.syncthreads_or(above)
    every = cuda.syncthreads_and(above)
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = counted
        flags[cuda.blockIdx.x, 0] = some != 0
        flags[cuda.blockIdx.x, 1] = every != 0


PTX = [
    (interleaved_tree, "(int64[::1], int64[::1])"),
    (sequential_tree, "(float64[::1], float64[::1])"),
    (unrolled_tree, "(float32[::1], float32[::1])"),
    (shuffled_sum, "(float32[::1], float32[::1])"),
    (shuffled_sum, "(int32[::1], int64[::1])"),
    (butterfly_sum, "(int64[::1], int64[::1])"),
    (two_level_sum, "(float32[::1], float32[::1])"),
    (last_block_sum, "(float64[::1], float64[::1], uint32[::1], float64[::1])"),
    (argmax, "(float32[::1], float32[::1], int32[::1])"),
    (count_above, "(float32[::1], float32, int32[::1], bool_[:, ::1])"),
]


def whole_numbers(size, dtype):
    return np.random.default_rng(size).integers(-50, 50, size).astype(dtype)


def by_blocks(x, threads, fill):
    blocks = -(-x.size // threads)
    padded = np.full(blocks * threads, fill, x.dtype)
    padded[: x.size] = x
    return padded.reshape(blocks, threads)


@pytest.mark.parametrize("threads", [1, 32, 48, 100, 256])
@pytest.mark.parametrize("size", SIZES)
def test_interleaved_tree(size, threads):
    x = whole_numbers(size, np.int64)
    expected = by_blocks(x, threads, 0).sum(1)
    out = np.zeros_like(expected)
    interleaved_tree[len(expected), threads](x, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("threads", [2, 32, 128, 512])
@pytest.mark.parametrize("size", SIZES)
def test_sequential_tree(size, threads):
    x = whole_numbers(size, np.float64)
    out = np.zeros(1)
    sequential_tree[-(-size // (2 * threads)), threads, 0, 8 * threads](x, out)
    assert out[0] == x.sum()


@pytest.mark.parametrize("size", SIZES)
def test_unrolled_tree(size):
    x = whole_numbers(size, np.float32)
    out = np.zeros(1, np.float32)
    unrolled_tree[3, 256](x, out)
    assert out[0] == x.sum()


@pytest.mark.parametrize("threads", [32, 96, 256])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("size", [31, 1000])
def test_shuffled_sum(size, dtype, threads):
    x = whole_numbers(size, dtype)
    out = np.zeros(1, np.int64 if np.issubdtype(dtype, np.integer) else dtype)
    shuffled_sum[-(-size // threads), threads](x, out)
    assert out[0] == x.sum()


@pytest.mark.parametrize("threads", [32, 64, 224])
def test_butterfly_sum(threads):
    x = whole_numbers(1000, np.int64) << 33
    out = np.zeros_like(x)
    butterfly_sum[-(-x.size // threads), threads](x, out)
    np.testing.assert_array_equal(out, by_blocks(x, 32, 0).sum(1).repeat(32)[: x.size])


@pytest.mark.parametrize("block", [32, 128, 1024, (8, 8), (32, 4), (16, 10)])
@pytest.mark.parametrize("size", [31, 1000, 5003])
def test_two_level_sum(size, block):
    x = whole_numbers(size, np.float32)
    out = np.zeros(1, np.float32)
    two_level_sum[5, block](x, out)
    assert out[0] == x.sum()


@pytest.mark.parametrize("blocks", [1, 7, 130])
def test_last_block_sum(blocks):
    x = np.random.default_rng(blocks).random(5003)
    partial, count, out = np.zeros(blocks), np.zeros(1, np.uint32), np.zeros(1)
    sums = set()
    for _ in range(3):
        last_block_sum[blocks, 128](x, partial, count, out)
        assert count[0] == 0
        sums.add(out[0])
    np.testing.assert_allclose(sums.pop(), x.sum(), rtol=1e-12)
    assert not sums


@pytest.mark.parametrize("threads", [32, 160, 1024])
def test_argmax(threads):
    x = np.random.default_rng(threads).integers(0, 40, 2000).astype(np.float32)
    rows = by_blocks(x, threads, -np.inf)
    best, where = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.int32)
    argmax[len(rows), threads](x, best, where)
    np.testing.assert_array_equal(best, rows.max(1))
    np.testing.assert_array_equal(where, rows.argmax(1) + np.arange(len(rows)) * threads)


@pytest.mark.parametrize("threads", [32, 50, 256])
@pytest.mark.parametrize("bound", [-60, 0, 30])
def test_count_above(bound, threads):
    x = whole_numbers(1000, np.float32)
    rows = by_blocks(x, threads, -np.inf) > bound
    counts, flags = np.zeros(len(rows), np.int32), np.zeros((len(rows), 2), np.bool_)
    count_above[len(rows), threads](x, np.float32(bound), counts, flags)
    np.testing.assert_array_equal(counts, rows.sum(1))
    np.testing.assert_array_equal(flags, np.stack([rows.any(1), rows.all(1)], 1))
