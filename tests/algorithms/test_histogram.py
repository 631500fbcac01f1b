"""Histograms: atomics in global memory, one copy per block, one per warp, pictures, and bins of floats."""

import numpy as np
import pytest
from treadle import cuda, int32, uint32

BINS = 256
THREADS = 256
WARPS = 8


@cuda.jit
def global_histogram(data, counts):
    i = cuda.grid(1)
    if i < data.size:
        cuda.atomic.add(counts, data[i], 1)


@cuda.jit
def strided_histogram(data, counts):
    for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, data[i], 1)


@cuda.jit
def privatized_histogram(data, counts):
    """A copy per block in shared memory, added to the result at the end."""
    mine = cuda.shared.array(BINS, uint32)
    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        mine[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, data[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        if mine[b] > 0:
            cuda.atomic.add(counts, b, mine[b])


@cuda.jit
def warp_histograms(data, counts):
    """A copy per warp, so that warps do not wait for each other; the block's threads add them up, one bin each."""
    mine = cuda.shared.array((WARPS, BINS), uint32)
    tid = cuda.threadIdx.x
    warp = tid // 32
    for w in range(WARPS):
        mine[w, tid] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, (warp, data[i]), 1)
    cuda.syncthreads()
    total = uint32(0)
    for w in range(WARPS):
        total += mine[w, tid]
    cuda.atomic.add(counts, tid, total)


@cuda.jit
def picture_histogram(picture, counts):
    """Rows, columns and channels; counts per channel, all in one shared array."""
    mine = cuda.shared.array((3, BINS), int32)
    tid = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
    threads = cuda.blockDim.x * cuda.blockDim.y
    for k in range(tid, 3 * BINS, threads):
        mine[k // BINS, k % BINS] = 0
    cuda.syncthreads()
    x, y = cuda.grid(2)
    if y < picture.shape[0] and x < picture.shape[1]:
        for channel in range(3):
            cuda.atomic.add(mine, (channel, picture[y, x, channel]), 1)
    cuda.syncthreads()
    for k in range(tid, 3 * BINS, threads):
        cuda.atomic.add(counts, (k // BINS, k % BINS), mine[k // BINS, k % BINS])


@cuda.jit
def numpy_histogram(x, xmin, xmax, histogram_out):
    nbins = histogram_out.shape[0]
    bin_width = (xmax - xmin) / nbins

    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.shape[0], stride):
        bin_number = np.int32((x[i] - xmin) / bin_width)
        if bin_number >= 0 and bin_number < histogram_out.shape[0]:
            cuda.atomic.add(histogram_out, bin_number, 1)


@cuda.jit
def weighted_histogram(bins, weights, sums, lowest, highest):
    """Sums and extremes of the values in each bin."""
    i = cuda.grid(1)
    if i < bins.size:
        where = bins[i]
        cuda.atomic.add(sums, where, weights[i])
        cuda.atomic.min(lowest, where, weights[i])
        cuda.atomic.max(highest, where, weights[i])


PTX = [
    (global_histogram, "(uint8[::1], int32[::1])"),
    (strided_histogram, "(uint8[::1], uint64[::1])"),
    (privatized_histogram, "(uint8[::1], uint32[::1])"),
    (warp_histograms, "(uint8[::1], uint32[::1])"),
    (picture_histogram, "(uint8[:, :, ::1], int32[:, ::1])"),
    (numpy_histogram, "(float32[::1], float64, float64, int32[::1])"),
    (weighted_histogram, "(int64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"),
]

SIZES = [1, 255, 4096, 30_001]


def make_bytes(size, kind):
    rng = np.random.default_rng(size)
    if kind == "equal":
        return np.full(size, 200, np.uint8)
    if kind == "skewed":
        return rng.normal(128, 6, size).astype(np.uint8)
    return rng.integers(0, BINS, size, dtype=np.uint8)


@pytest.mark.parametrize("threads", [32, 100, 256])
@pytest.mark.parametrize("kind", ["even", "skewed", "equal"])
@pytest.mark.parametrize("size", SIZES)
def test_global_atomics(size, kind, threads):
    data = make_bytes(size, kind)
    counts = np.zeros(BINS, np.int32)
    global_histogram[-(-size // threads), threads](data, counts)
    np.testing.assert_array_equal(counts, np.bincount(data, minlength=BINS))


@pytest.mark.parametrize("kernel", [strided_histogram, privatized_histogram, warp_histograms], ids=lambda k: k.__name__)
@pytest.mark.parametrize("kind", ["even", "skewed", "equal"])
@pytest.mark.parametrize("size", SIZES)
def test_strided(size, kind, kernel):
    data = make_bytes(size, kind)
    counts = np.zeros(BINS, np.uint32)
    kernel[5, THREADS](data, counts)
    np.testing.assert_array_equal(counts, np.bincount(data, minlength=BINS))


@pytest.mark.parametrize("threads", [1, 33, 1024])
def test_private_copies_with_more_and_fewer_threads_than_bins(threads):
    data = make_bytes(5000, "even")
    counts = np.zeros(BINS, np.uint32)
    privatized_histogram[7, threads](data, counts)
    np.testing.assert_array_equal(counts, np.bincount(data, minlength=BINS))


@pytest.mark.parametrize("block", [(32, 8), (16, 16), (7, 5)])
@pytest.mark.parametrize("shape", [(1, 1), (64, 48), (50, 71)])
def test_pictures(shape, block):
    picture = np.random.default_rng(1).integers(0, BINS, (*shape, 3), dtype=np.uint8)
    counts = np.zeros((3, BINS), np.int32)
    picture_histogram[(-(-shape[1] // block[0]), -(-shape[0] // block[1])), block](picture, counts)
    expected = [np.bincount(picture[:, :, channel].ravel(), minlength=BINS) for channel in range(3)]
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("bins", [1, 10, 77])
def test_real_numbers(bins):
    x = np.random.default_rng(bins).normal(size=10_000).astype(np.float32)
    found = np.zeros(bins, np.int32)
    numpy_histogram[16, 64](x, -4.0, 4.0, found)
    places = (x.astype(float) + 4.0) / (8.0 / bins)
    inside = places[(places > -1.0) & (places < bins)].astype(int)
    np.testing.assert_array_equal(found, np.bincount(inside, minlength=bins))


def test_sums_and_extremes():
    rng = np.random.default_rng(1)
    bins, weights = rng.integers(0, 19, 3000), rng.integers(-99, 99, 3000).astype(float)
    sums, lowest, highest = np.zeros(20), np.full(20, np.inf), np.full(20, -np.inf)
    weighted_histogram[30, 100](bins, weights, sums, lowest, highest)
    for b in range(19):
        mine = weights[bins == b]
        assert (sums[b], lowest[b], highest[b]) == (mine.sum(), mine.min(), mine.max())
    assert (sums[19], lowest[19], highest[19]) == (0, np.inf, -np.inf)
