# Compaction and counting by warps: ballots, matches, shuffles and a scan over blocks with a barrier of the whole grid.
import numpy as np
from treadle import cuda, int32, uint32
from treadle.cuda import cg

FULL = 0xFFFFFFFF


@cuda.jit
def compact(x, threshold, out, block_counts):
    grid = cg.this_grid()
    i, t = cuda.grid(1), cuda.threadIdx.x
    warp, lane = t // cuda.warpsize, cuda.laneid
    warp_counts = cuda.shared.array(8, int32)
    keep = i < x.size and x[i] > threshold
    votes = cuda.ballot_sync(FULL, keep)
    below = cuda.popc(votes & ((1 << lane) - 1))
    if lane == 0:
        warp_counts[warp] = cuda.popc(votes)
    total = cuda.syncthreads_count(keep)
    if t == 0:
        block_counts[cuda.blockIdx.x] = total
    grid.sync()
    start = 0
    for k in range(cuda.blockIdx.x):
        start += block_counts[k]
    for k in range(warp):
        start += warp_counts[k]
    if keep:
        out[start + below] = x[i]


@cuda.jit
def count_equal(keys, counts):
    i = cuda.grid(1)
    if i < keys.size:
        peers = cuda.match_any_sync(cuda.activemask(), keys[i])
        leader = cuda.ffs(peers) - 1
        if cuda.laneid == leader:
            cuda.atomic.add(counts, keys[i], uint32(cuda.popc(peers)))


@cuda.jit
def scan_warps(x, out):
    i = cuda.grid(1)
    value = x[i]
    delta = 1
    while delta < 32:
        other = cuda.shfl_up_sync(FULL, value, delta)
        if cuda.laneid >= delta:
            value += other
        delta <<= 1
    out[i] = value
    if cuda.all_sync(FULL, value > 0) and not cuda.any_sync(FULL, value > 1e6):
        out[i] = cuda.selp(cuda.laneid == 31, -value, value)


rng = np.random.default_rng(12)
for dtype in (np.float32, np.int16):
    x = rng.integers(-100, 100, 150).astype(dtype)
    out, counts = cuda.to_device(np.zeros(150, dtype)), cuda.device_array(3, np.int32)
    compact[3, 64](x, dtype(10), out, counts)
    expected = x[x > 10]
    np.testing.assert_array_equal(out.copy_to_host()[: expected.size], expected)
    assert cuda.reduce(lambda a, b: a + b)(counts) == expected.size

keys = rng.integers(0, 5, 100).astype(np.int32)
counts = np.zeros(5, np.uint32)
count_equal[2, 64](keys, counts)
np.testing.assert_array_equal(counts, np.bincount(keys, minlength=5))

x = rng.integers(0, 9, 64).astype(np.float64)
x[0], x[32] = 1, 0
out = np.zeros(64)
scan_warps[2, 32](x, out)
sums = np.cumsum(x.reshape(2, 32), axis=1)
for row in sums:
    if (row > 0).all():
        row[-1] *= -1
np.testing.assert_array_equal(out, sums.ravel())
