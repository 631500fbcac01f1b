"""Bitonic sort: in shared memory, and with one kernel for each step whose distance exceeds a block."""

import numpy as np
import pytest
from treadle import cuda, float32, int64

SHARED = 512


@cuda.jit(device=True)
def compare_exchange(keys, i, partner, ascending):
    if (keys[i] > keys[partner]) == ascending:
        keys[i], keys[partner] = keys[partner], keys[i]


@cuda.jit
def sort_block(values, descending):
    """One block sorts up to 1024 values, one per thread; padding beyond them compares as largest."""
    keys = cuda.shared.array(1024, float32)
    tid = cuda.threadIdx.x
    keys[tid] = -values[tid] if descending else values[tid]
    cuda.syncthreads()
    k = 2
    while k <= cuda.blockDim.x:
        j = k // 2
        while j > 0:
            partner = tid ^ j
            if partner > tid:
                compare_exchange(keys, tid, partner, (tid & k) == 0)
            cuda.syncthreads()
            j //= 2
        k *= 2
    values[tid] = -keys[tid] if descending else keys[tid]


@cuda.jit
def sort_pieces(keys):
    """Pieces of SHARED keys by half as many threads, every second piece descending: the start of a larger sort."""
    piece = cuda.shared.array(SHARED, int64)
    tid = cuda.threadIdx.x
    base = cuda.blockIdx.x * SHARED
    piece[tid] = keys[base + tid]
    piece[tid + SHARED // 2] = keys[base + tid + SHARED // 2]
    size = 2
    while size <= SHARED:
        stride = size >> 1
        while stride > 0:
            cuda.syncthreads()
            low = 2 * tid - (tid & (stride - 1))
            ascending = ((base + low) & size) == 0
            compare_exchange(piece, low, low + stride, ascending)
            stride >>= 1
        size <<= 1
    cuda.syncthreads()
    keys[base + tid] = piece[tid]
    keys[base + tid + SHARED // 2] = piece[tid + SHARED // 2]


@cuda.jit
def merge_globally(keys, size, stride):
    i = cuda.grid(1)
    partner = i ^ stride
    if partner > i:
        compare_exchange(keys, i, partner, (i & size) == 0)


@cuda.jit
def merge_in_shared_memory(keys, size):
    """All steps of one size whose distance fits in a block."""
    piece = cuda.shared.array(SHARED, int64)
    tid = cuda.threadIdx.x
    base = cuda.blockIdx.x * SHARED
    for part in range(2):
        piece[tid + part * SHARED // 2] = keys[base + tid + part * SHARED // 2]
    ascending = (base & size) == 0
    stride = SHARED // 2
    while stride > 0:
        cuda.syncthreads()
        low = 2 * tid - (tid & (stride - 1))
        compare_exchange(piece, low, low + stride, ascending)
        stride //= 2
    cuda.syncthreads()
    for part in range(2):
        keys[base + tid + part * SHARED // 2] = piece[tid + part * SHARED // 2]


@cuda.jit
def sort_warps(values):
    """Each warp sorts 32 values in registers."""
    i = cuda.grid(1)
    lane = cuda.laneid
    value = values[i]
    for k in (2, 4, 8, 16, 32):
        j = k // 2
        while j > 0:
            other = cuda.shfl_xor_sync(0xFFFFFFFF, value, j)
            keeps_low = ((lane & j) == 0) == ((lane & k) == 0)
            value = min(value, other) if keeps_low else max(value, other)
            j //= 2
    values[i] = value


PTX = [
    (sort_block, "(float32[::1], bool_)"),
    (sort_pieces, "(int64[::1],)"),
    (merge_globally, "(int64[::1], int64, int64)"),
    (merge_in_shared_memory, "(int64[::1], int64)"),
    (sort_warps, "(float32[::1],)"),
    (sort_warps, "(int64[::1],)"),
]


def sort(keys):
    """The int64 keys in ascending order, padded to a power of two while they are sorted."""
    padded_size = max(SHARED, 1 << (keys.size - 1).bit_length())
    padded = np.full(padded_size, np.iinfo(np.int64).max)
    padded[: keys.size] = keys
    device_keys = cuda.to_device(padded)
    blocks = padded_size // SHARED
    sort_pieces[blocks, SHARED // 2](device_keys)
    size = 2 * SHARED
    while size <= padded_size:
        stride = size // 2
        while stride >= SHARED:
            merge_globally[2 * blocks, SHARED // 2](device_keys, size, stride)
            stride //= 2
        merge_in_shared_memory[blocks, SHARED // 2](device_keys, size)
        size *= 2
    return device_keys.copy_to_host()[: keys.size]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("size", [1, 2, 16, 64, 1024])
def test_one_block(size, descending):
    values = np.random.default_rng(size).integers(-99, 99, size).astype(np.float32)
    expected = np.sort(values)[::-1] if descending else np.sort(values)
    sort_block[1, size](values, descending)
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("size", [1, 500, 512, 513, 5000, 16_384])
def test_many_blocks(size):
    keys = np.random.default_rng(size).integers(-(1 << 62), 1 << 62, size)
    np.testing.assert_array_equal(sort(keys), np.sort(keys))


@pytest.mark.parametrize("order", ["ascending", "descending", "equal"])
def test_many_blocks_of_ordered_keys(order):
    keys = {"ascending": np.arange(3000), "descending": -np.arange(3000), "equal": np.full(3000, 7)}[order]
    np.testing.assert_array_equal(sort(keys), np.sort(keys))


@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_warps(dtype, threads):
    values = np.random.default_rng(threads).integers(-99, 99, 512).astype(dtype)
    expected = np.sort(values.reshape(-1, 32), axis=1).ravel()
    sort_warps[512 // threads, threads](values)
    np.testing.assert_array_equal(values, expected)
