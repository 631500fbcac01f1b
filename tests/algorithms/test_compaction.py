"""Stream compaction by ballots, and atomics that each warp does once for all its lanes."""

import numpy as np
import pytest
from treadle import cuda, int32

FULL = 0xFFFFFFFF
THREADS = 256
BINS = 20


@cuda.jit
def keep_positive(x, out, count):
    """Each warp reserves room for all its survivors at once; the lanes below a lane give its place."""
    i = cuda.grid(1)
    lane = cuda.laneid
    keep = i < x.size and x[i] > 0
    votes = cuda.ballot_sync(FULL, keep)
    start = 0
    if lane == 0 and votes != 0:
        start = cuda.atomic.add(count, 0, cuda.popc(votes))
    start = cuda.shfl_sync(FULL, start, 0)
    if keep:
        out[start + cuda.popc(votes & cuda.lanemask_lt())] = x[i]


@cuda.jit
def count_survivors(x, counts):
    i = cuda.grid(1)
    total = cuda.syncthreads_count(1 if i < x.size and x[i] > 0 else 0)
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = total


@cuda.jit
def move_survivors(x, starts, out):
    """Stable: the counts of the preceding warps, in shared memory, and then the lanes below."""
    before = cuda.shared.array(32, int32)
    tid = cuda.threadIdx.x
    lane, warp = tid & 31, tid >> 5
    i = cuda.grid(1)
    keep = i < x.size and x[i] > 0
    votes = cuda.ballot_sync(FULL, keep)
    if lane == 0:
        before[warp] = cuda.popc(votes)
    cuda.syncthreads()
    if tid == 0:
        total = 0
        for w in range(cuda.blockDim.x // 32):
            kept = before[w]
            before[w] = total
            total += kept
    cuda.syncthreads()
    if keep:
        rank = cuda.popc(votes & ((1 << lane) - 1))
        out[starts[cuda.blockIdx.x] + before[warp] + rank] = x[i]


@cuda.jit(device=True)
def aggregated_increment(counter):
    """A new number for each active lane, by one atomic operation of the lowest of them."""
    mask = cuda.activemask()
    leader = cuda.ffs(mask) - 1
    rank = cuda.popc(mask & ((1 << cuda.laneid) - 1))
    start = 0
    if rank == 0:
        start = cuda.atomic.add(counter, 0, cuda.popc(mask))
    start = cuda.shfl_sync(mask, start, leader)
    return start + rank


@cuda.jit
def filter_multiples(x, divisor, out, counter):
    i = cuda.grid(1)
    if i < x.size and x[i] % divisor == 0:
        out[aggregated_increment(counter)] = x[i]


@cuda.jit
def matched_histogram(bins, counts):
    """Lanes with the same bin elect a leader, which adds for all of them."""
    i = cuda.grid(1)
    mask = cuda.ballot_sync(FULL, i < bins.size)
    if i < bins.size:
        peers = cuda.match_any_sync(mask, bins[i])
        if cuda.laneid == cuda.ffs(peers) - 1:
            cuda.atomic.add(counts, bins[i], cuda.popc(peers))


@cuda.jit
def sum_by_key(keys, values, sums):
    """Each leader gathers its peers' values through shuffles, one bit of their mask at a time."""
    i = cuda.grid(1)
    lane = cuda.laneid
    peers = cuda.match_any_sync(FULL, keys[i])
    total = 0
    for source in range(32):
        value = cuda.shfl_sync(FULL, values[i], source)
        if (peers >> source) & 1:
            total += value
    if lane == cuda.ffs(peers) - 1:
        cuda.atomic.add(sums, keys[i], total)


@cuda.jit
def uniform_warps(x, out):
    """0 where a warp's values differ, 1 where all are equal, 2 where they are also zero."""
    i = cuda.grid(1)
    everywhere, equal = cuda.match_all_sync(FULL, x[i])
    some = cuda.any_sync(FULL, x[i] != 0)
    same_sign = cuda.eq_sync(FULL, x[i] < 0)
    result = 0
    if equal:
        result = 1 if some else 2
        if not same_sign or everywhere != cuda.ballot_sync(FULL, True):
            result = -1
    if cuda.all_sync(FULL, x[i] == 0) != (result == 2):
        result = -2
    out[i] = result


@cuda.jit
def run_lengths(x, heads, out):
    """The length of the run of equal neighbours that starts at each head, within the warp."""
    i = cuda.grid(1)
    lane = cuda.laneid
    left = cuda.shfl_up_sync(FULL, x[i], 1)
    is_head = lane == 0 or left != x[i]
    starts = cuda.ballot_sync(FULL, is_head)
    above = (starts >> lane) >> 1
    ends = cuda.ffs(above) + lane if above != 0 and lane < 31 else 32
    heads[i] = is_head
    out[i] = ends - lane if is_head else 0


PTX = [
    (keep_positive, "(float32[::1], float32[::1], int32[::1])"),
    (count_survivors, "(int64[::1], int32[::1])"),
    (move_survivors, "(int64[::1], int64[::1], int64[::1])"),
    (filter_multiples, "(int64[::1], int64, int64[::1], int32[::1])"),
    (matched_histogram, "(int32[::1], int32[::1])"),
    (sum_by_key, "(int64[::1], int64[::1], int64[::1])"),
    (uniform_warps, "(int32[::1], int64[::1])"),
    (run_lengths, "(int32[::1], bool_[::1], int64[::1])"),
]

SIZES = [1, 31, 256, 1000, 5000]


def make_numbers(size, share=0.5):
    rng = np.random.default_rng(size)
    return np.where(rng.random(size) < share, 1, -1) * rng.integers(1, 1000, size)


@pytest.mark.parametrize("threads", [32, 96, 256])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("size", SIZES)
def test_survivors_in_any_order(size, share, threads):
    x = make_numbers(size, share).astype(np.float32)
    out, count = np.zeros_like(x), np.zeros(1, np.int32)
    keep_positive[-(-size // threads), threads](x, out, count)
    assert count[0] == np.count_nonzero(x > 0)
    np.testing.assert_array_equal(np.sort(out[: count[0]]), np.sort(x[x > 0]))
    assert not out[count[0] :].any()


@pytest.mark.parametrize("threads", [32, 96, 1024])
@pytest.mark.parametrize("size", SIZES)
def test_survivors_in_order(size, threads):
    x = make_numbers(size)
    blocks = -(-size // threads)
    counts = np.zeros(blocks, np.int32)
    count_survivors[blocks, threads](x, counts)
    starts = np.cumsum(counts, dtype=np.int64) - counts
    out = np.zeros(counts.sum(), np.int64)
    move_survivors[blocks, threads](x, starts, out)
    np.testing.assert_array_equal(out, x[x > 0])


@pytest.mark.parametrize("threads", [32, 50, 256])
@pytest.mark.parametrize("divisor", [1, 3, 1000])
@pytest.mark.parametrize("size", [1, 1000, 5000])
def test_aggregated_atomics(size, divisor, threads):
    x = np.arange(size)
    out, counter = np.full(size, -1), np.zeros(1, np.int32)
    filter_multiples[-(-size // threads), threads](x, divisor, out, counter)
    expected = x[x % divisor == 0]
    assert counter[0] == expected.size
    np.testing.assert_array_equal(np.sort(out[: counter[0]]), expected)


@pytest.mark.parametrize("threads", [32, 96, 256])
@pytest.mark.parametrize("bins", [1, 3, BINS])
@pytest.mark.parametrize("size", [1, 100, 5000])
def test_matched_histogram(size, bins, threads):
    data = np.random.default_rng(size).integers(0, bins, size).astype(np.int32)
    counts = np.zeros(BINS, np.int32)
    matched_histogram[-(-size // threads), threads](data, counts)
    np.testing.assert_array_equal(counts, np.bincount(data, minlength=BINS))


@pytest.mark.parametrize("threads", [32, 64, 128])
@pytest.mark.parametrize("different", [1, 7, 1000])
def test_sums_by_key(different, threads):
    rng = np.random.default_rng(different)
    keys, values = rng.integers(0, different, 512), rng.integers(-(1 << 40), 1 << 40, 512)
    sums, expected = np.zeros(different, np.int64), np.zeros(different, np.int64)
    sum_by_key[512 // threads, threads](keys, values, sums)
    np.add.at(expected, keys, values)
    np.testing.assert_array_equal(sums, expected)


def test_uniform_warps():
    x = np.repeat(np.array([0, 5, -3, 0, 9], np.int32), 32)
    x[70], x[159] = 4, -9
    out = np.zeros(x.size, np.int64)
    uniform_warps[1, 160](x, out)
    assert out.reshape(5, 32).tolist() == [[value] * 32 for value in (2, 1, 0, 2, 0)]


@pytest.mark.parametrize("different", [1, 2, 5, 1000])
def test_run_lengths(different):
    x = np.random.default_rng(different).integers(0, different, 256).astype(np.int32)
    heads, out = np.zeros(x.size, np.bool_), np.zeros(x.size, np.int64)
    run_lengths[2, 128](x, heads, out)
    expected = np.zeros(x.size, np.int64)
    head = 0
    for i in range(x.size):
        if i % 32 == 0 or x[i] != x[i - 1]:
            head = i
        expected[head] += 1
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(heads, expected > 0)
