"""Threads that work together: barriers of blocks and grids, warps, and more shared memory than 48 KiB."""

import numpy as np
import pytest
from treadle import cuda, float32, int64


@cuda.jit
def steps_of_a_grid(values, out, rounds):
    """Each round every thread reads what another block has written in the round before."""
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    count = values.size
    for _ in range(rounds):
        other = values[(i + cuda.blockDim.x) % count]
        grid.sync()
        values[i] = other + 1
        grid.sync()
    out[i] = values[i]


@pytest.mark.parametrize("threads", [32, 256])
def test_barriers_of_the_whole_grid(threads):
    sample = np.zeros(threads, np.int64)
    steps_of_a_grid[1, threads](sample, np.zeros_like(sample), 0)
    most = next(iter(steps_of_a_grid.overloads.values())).max_cooperative_grid_blocks(threads)
    blocks = min(most, 64)
    assert blocks >= 1
    values = np.arange(blocks * threads)
    expected = values.copy()
    rounds = 2 * blocks + 1
    for _ in range(rounds):
        expected = np.roll(expected, -threads) + 1
    out = np.zeros_like(values)
    steps_of_a_grid[blocks, threads](values, out, rounds)
    np.testing.assert_array_equal(out, expected)


@cuda.jit
def warp_sums(x, out):
    value = x[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if cuda.laneid == 0:
        out[cuda.grid(1) // 32] = value


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_shuffles(dtype):
    x = np.arange(64 * 128).astype(dtype) % 97
    out = np.zeros(64 * 4, dtype)
    warp_sums[64, 128](x, out)
    np.testing.assert_array_equal(out, x.reshape(-1, 32).sum(1))


@cuda.jit
def votes(x, out):
    i = cuda.grid(1)
    odd = x[i] % 2 == 1
    out[i, 0] = cuda.ballot_sync(0xFFFFFFFF, odd)
    out[i, 1] = cuda.all_sync(0xFFFFFFFF, odd)
    out[i, 2] = cuda.any_sync(0xFFFFFFFF, odd)
    out[i, 3] = cuda.syncthreads_count(odd)


def test_votes():
    x = np.random.default_rng(1).integers(0, 2, 256)
    out = np.zeros((256, 4), np.int64)
    votes[2, 128](x, out)
    for i in range(256):
        warp = x[i // 32 * 32 :][:32]
        block = x[i // 128 * 128 :][:128]
        ballot = sum(int(bit) << lane for lane, bit in enumerate(warp))
        assert out[i].astype(np.uint64)[0] & 0xFFFFFFFF == ballot
        assert out[i, 1:].tolist() == [warp.all(), warp.any(), block.sum()]


@cuda.jit
def reversed_rows(x, out):
    row = cuda.shared.array(0, float32)
    count = x.shape[1]
    for i in range(cuda.threadIdx.x, count, cuda.blockDim.x):
        row[i] = x[cuda.blockIdx.x, i]
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, count, cuda.blockDim.x):
        out[cuda.blockIdx.x, i] = row[count - 1 - i]


def test_all_the_shared_memory_of_a_block():
    most = cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    assert most >= 64 << 10
    for size in (1 << 10, 48 << 10, (48 << 10) + 4, most):
        x = np.arange(2 * size // 4, dtype=np.float32).reshape(2, -1)
        out = np.zeros_like(x)
        reversed_rows[2, 256, 0, size](x, out)
        np.testing.assert_array_equal(out, x[:, ::-1])
    with pytest.raises(ValueError, match="shared memory"):
        reversed_rows[2, 256, 0, most + 4](x, out)


@cuda.jit
def waits_for_other_blocks(flags, out):
    """Block 0 waits for what the last block writes."""
    last = cuda.gridDim.x - 1
    if cuda.threadIdx.x == 0:
        if cuda.blockIdx.x == last:
            out[0] = int64(41)
            cuda.threadfence()
            cuda.atomic.exch(flags, 0, 1)
        if cuda.blockIdx.x == 0:
            while cuda.atomic.add(flags, 0, 0) == 0:
                pass
            cuda.threadfence()
            out[1] = out[0] + 1


def test_blocks_that_wait_for_others():
    flags, out = np.zeros(1, np.int32), np.zeros(2, np.int64)
    waits_for_other_blocks[2, 32](flags, out)
    assert out.tolist() == [41, 42]
