"""Radix sort of 32-bit keys, four bits per pass: block histograms, their scan, and a stable scatter."""

import numpy as np
import pytest
from treadle import cuda, int32

FULL = 0xFFFFFFFF
RADIX = 16
THREADS = 128
WARPS = 4
ITEMS = 4
CHUNK = 512  # keys of a block: ITEMS per thread, or a strip of STRIP keys per warp
STRIP = 128
SCANNERS = 256


@cuda.jit(device=True)
def digit_of(key, shift):
    return int32((key >> shift) & (RADIX - 1))


@cuda.jit
def count_digits(keys, shift, counts):
    """counts[digit * blocks + block]: in this order the exclusive scan yields the position of each block's digits."""
    mine = cuda.shared.array(RADIX, int32)
    tid = cuda.threadIdx.x
    if tid < RADIX:
        mine[tid] = 0
    cuda.syncthreads()
    start = cuda.blockIdx.x * CHUNK
    for i in range(start + tid, min(start + CHUNK, keys.size), THREADS):
        cuda.atomic.add(mine, digit_of(keys[i], shift), 1)
    cuda.syncthreads()
    if tid < RADIX:
        counts[tid * cuda.gridDim.x + cuda.blockIdx.x] = mine[tid]


@cuda.jit
def scan_counts(counts):
    """Exclusive, in place, by one block that carries the sum from piece to piece."""
    piece = cuda.shared.array(SCANNERS, int32)
    tid = cuda.threadIdx.x
    carry = 0
    for start in range(0, counts.size, SCANNERS):
        i = start + tid
        own = counts[i] if i < counts.size else 0
        piece[tid] = own
        cuda.syncthreads()
        distance = 1
        while distance < SCANNERS:
            left = piece[tid - distance] if tid >= distance else 0
            cuda.syncthreads()
            piece[tid] += left
            cuda.syncthreads()
            distance *= 2
        if i < counts.size:
            counts[i] = carry + piece[tid] - own
        carry += piece[SCANNERS - 1]
        cuda.syncthreads()


@cuda.jit
def scatter(keys, values, shift, places, sorted_keys, sorted_values):
    """Each thread ranks ITEMS neighbours; a scan over the threads ranks them among the block's."""
    ranks = cuda.shared.array((RADIX, THREADS), int32)
    left = cuda.local.array(RADIX, int32)
    tid = cuda.threadIdx.x
    first = cuda.blockIdx.x * CHUNK + tid * ITEMS
    last = min(first + ITEMS, keys.size)
    for digit in range(RADIX):
        ranks[digit, tid] = 0
    for i in range(first, last):
        ranks[digit_of(keys[i], shift), tid] += 1
    cuda.syncthreads()

    distance = 1
    while distance < THREADS:
        for digit in range(RADIX):
            left[digit] = ranks[digit, tid - distance] if tid >= distance else 0
        cuda.syncthreads()
        for digit in range(RADIX):
            ranks[digit, tid] += left[digit]
        cuda.syncthreads()
        distance *= 2

    for digit in range(RADIX):
        before = ranks[digit, tid - 1] if tid > 0 else 0
        left[digit] = places[digit * cuda.gridDim.x + cuda.blockIdx.x] + before
    for i in range(first, last):
        digit = digit_of(keys[i], shift)
        sorted_keys[left[digit]] = keys[i]
        sorted_values[left[digit]] = values[i]
        left[digit] += 1


@cuda.jit
def scatter_by_warps(keys, values, shift, places, sorted_keys, sorted_values):
    """Lanes with the same digit find each other; their leader keeps the warp's counter of that digit."""
    counters = cuda.shared.array((WARPS, RADIX), int32)
    tid = cuda.threadIdx.x
    lane, warp = tid % 32, tid // 32
    first = cuda.blockIdx.x * CHUNK + warp * STRIP + lane
    if lane < RADIX:
        counters[warp, lane] = 0
    cuda.syncwarp()
    for i in range(first, first + STRIP, 32):
        digit = digit_of(keys[i], shift) if i < keys.size else int32(-1)
        peers = cuda.match_any_sync(FULL, digit)
        if digit >= 0 and cuda.ffs(peers) - 1 == lane:
            counters[warp, digit] += cuda.popc(peers)
        cuda.syncwarp()
    cuda.syncthreads()

    if tid < RADIX:
        place = places[tid * cuda.gridDim.x + cuda.blockIdx.x]
        for w in range(WARPS):
            count = counters[w, tid]
            counters[w, tid] = place
            place += count
    cuda.syncthreads()

    for i in range(first, first + STRIP, 32):
        digit = digit_of(keys[i], shift) if i < keys.size else int32(-1)
        peers = cuda.match_any_sync(FULL, digit)
        rank = cuda.popc(peers & ((1 << lane) - 1))
        if digit >= 0:
            place = counters[warp, digit] + rank
            sorted_keys[place] = keys[i]
            sorted_values[place] = values[i]
        cuda.syncwarp()
        if digit >= 0 and rank == 0:
            counters[warp, digit] += cuda.popc(peers)
        cuda.syncwarp()


@cuda.jit
def split_by_bit(keys, bit, out):
    """One block, one bit: keys without the bit come before those with it, both in their old order."""
    ones = cuda.shared.array(1024, int32)
    tid = cuda.threadIdx.x
    threads = cuda.blockDim.x
    key = keys[tid]
    is_one = (key >> bit) & 1
    ones[tid] = is_one
    cuda.syncthreads()
    distance = 1
    while distance < threads:
        left = ones[tid - distance] if tid >= distance else 0
        cuda.syncthreads()
        ones[tid] += left
        cuda.syncthreads()
        distance *= 2
    before = ones[tid] - is_one
    zeros = threads - ones[threads - 1]
    out[zeros + before if is_one else tid - before] = key


SCATTER = "(uint32[::1], int32[::1], int64, int32[::1], uint32[::1], int32[::1])"
PTX = [
    (count_digits, "(uint32[::1], int64, int32[::1])"),
    (scan_counts, "(int32[::1],)"),
    (scatter, SCATTER),
    (scatter_by_warps, SCATTER),
    (split_by_bit, "(uint32[::1], int64, uint32[::1])"),
]


def sort(keys, values, move=scatter):
    """The sorted keys, and the values moved along with them, both stable."""
    blocks = -(-keys.size // CHUNK)
    keys, values = cuda.to_device(keys), cuda.to_device(values)
    other_keys, other_values = cuda.device_array_like(keys), cuda.device_array_like(values)
    counts = cuda.device_array(RADIX * blocks, np.int32)
    for shift in range(0, 32, 4):
        count_digits[blocks, THREADS](keys, shift, counts)
        scan_counts[1, SCANNERS](counts)
        move[blocks, THREADS](keys, values, shift, counts, other_keys, other_values)
        keys, other_keys = other_keys, keys
        values, other_values = other_values, values
    return keys.copy_to_host(), values.copy_to_host()


def make_keys(size, bits):
    return np.random.default_rng(size).integers(0, 1 << bits, size, dtype=np.uint64).astype(np.uint32)


def check(keys, move):
    found, places = sort(keys, np.arange(keys.size, dtype=np.int32), move)
    expected = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(found, keys[expected])


@pytest.mark.parametrize("move", [scatter, scatter_by_warps], ids=["threads", "warps"])
@pytest.mark.parametrize("size", [1, 33, 512, 513, 4096, 20_001])
def test_keys_and_values(size, move):
    check(make_keys(size, 32), move)


@pytest.mark.parametrize("move", [scatter, scatter_by_warps], ids=["threads", "warps"])
@pytest.mark.parametrize("bits", [0, 1, 9])
def test_many_equal_keys_keep_their_order(bits, move):
    check(make_keys(3000, bits), move)


def test_sorted_and_reversed_keys():
    keys = np.arange(0, 1 << 32, 1 << 21, dtype=np.uint64).astype(np.uint32)
    check(keys, scatter)
    check(keys[::-1].copy(), scatter)


def test_floats_by_their_bits():
    numbers = np.random.default_rng(1).normal(size=3000).astype(np.float32)
    bits = numbers.view(np.uint32)
    keys = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    _, places = sort(keys, np.arange(keys.size, dtype=np.int32))
    np.testing.assert_array_equal(numbers[places], np.sort(numbers))


@pytest.mark.parametrize("size", [1, 32, 100, 777, 1024])
def test_bit_by_bit_in_one_block(size):
    keys, other = make_keys(size, 10), np.zeros(size, np.uint32)
    expected = np.sort(keys)
    for bit in range(10):
        split_by_bit[1, size](keys, bit, other)
        keys, other = other, keys
    np.testing.assert_array_equal(keys, expected)
