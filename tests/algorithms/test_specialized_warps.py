"""Warps of one block that run different code, each with barriers: producers, consumers and pipelines."""

import numpy as np
import pytest
from treadle import cuda, float32, int32, int64

TILE = 96
TWO_TILES = 192
WORKERS = 64


@cuda.jit
def produce_and_consume(x, out, tiles):
    """Warp 0 fills one half of a buffer while the others process the other half; they meet at different barriers."""
    buffer = cuda.shared.array((2, TILE), float32)
    tid = cuda.threadIdx.x
    base = cuda.blockIdx.x * tiles * TILE
    if tid < 32:
        for tile in range(tiles):
            for k in range(tid, TILE, 32):
                i = base + tile * TILE + k
                buffer[tile % 2, k] = x[i] if i < x.size else float32(0)
            cuda.syncthreads()
        cuda.syncthreads()
    else:
        cuda.syncthreads()
        for tile in range(tiles):
            for k in range(tid - 32, TILE, cuda.blockDim.x - 32):
                i = base + tile * TILE + k
                if i < out.size:
                    out[i] = buffer[tile % 2, k] * 2 + 1
            cuda.syncthreads()


@cuda.jit
def sum_of_consumers(x, sums, tiles):
    """Each consumer keeps a sum across the barriers; the producer returns before the last step."""
    buffer = cuda.shared.array(TWO_TILES, int64)
    partial = cuda.shared.array(WORKERS, int64)
    tid = cuda.threadIdx.x
    if tid >= WORKERS:
        lane = tid - WORKERS
        for tile in range(tiles):
            for k in range(lane, TILE, 32):
                buffer[tile % 2 * TILE + k] = x[cuda.blockIdx.x, tile * TILE + k]
            cuda.syncthreads()
        return
    total = 0
    for tile in range(tiles):
        cuda.syncthreads()
        for k in range(tid, TILE, WORKERS):
            total += buffer[tile % 2 * TILE + k]
    partial[tid] = total
    cuda.syncthreads()
    if tid == 0:
        total = 0
        for worker in range(WORKERS):
            total += partial[worker]
        sums[cuda.blockIdx.x] = total


@cuda.jit
def barrier_in_both_arms(out):
    """Warps alternate between two arms, each with a barrier of its own."""
    seen = cuda.shared.array(256, int32)
    tid = cuda.threadIdx.x
    neighbour = (tid + 32) % cuda.blockDim.x
    if tid // 32 % 2 == 0:
        seen[tid] = tid + 100
        cuda.syncthreads()
        out[tid] = seen[neighbour]
    else:
        seen[tid] = 2 * tid
        cuda.syncthreads()
        out[tid] = -seen[neighbour]


@cuda.jit
def own_number_of_rounds(rounds, out):
    """Threads leave a loop of barriers when they are done; the others do not wait for them once they have returned."""
    turns = cuda.shared.array(1, int32)
    tid = cuda.threadIdx.x
    if tid == 0:
        turns[0] = 0
    cuda.syncthreads()
    for _ in range(rounds[tid]):
        cuda.atomic.add(turns, 0, 1)
        cuda.syncthreads()
        out[tid] = turns[0]
        cuda.syncthreads()


@cuda.jit
def pipeline(x, out):
    """Three warps, three stages: each passes its line of 32 to the next at the barrier of the round."""
    slots = cuda.shared.array((2, 2, 32), int64)
    warp, lane = cuda.threadIdx.y, cuda.threadIdx.x
    lines = x.shape[0]
    for step in range(lines + 2):
        line = step - warp
        if 0 <= line < lines:
            if warp == 0:
                slots[0, line % 2, lane] = x[line, lane] * 3
            elif warp == 1:
                slots[1, line % 2, lane] = slots[0, line % 2, 31 - lane] + line
            else:
                out[line, lane] = slots[1, line % 2, lane] ^ 5
        cuda.syncthreads()


PTX = [
    (produce_and_consume, "(float32[::1], float32[::1], int64)"),
    (sum_of_consumers, "(int64[:, ::1], int64[::1], int64)"),
    (barrier_in_both_arms, "(int32[::1],)"),
    (own_number_of_rounds, "(int32[::1], int32[::1])"),
    (pipeline, "(int64[:, ::1], int64[:, ::1])"),
]


@pytest.mark.parametrize("threads", [64, 128, 256, 80])
@pytest.mark.parametrize("tiles", [1, 2, 5])
def test_producer_and_consumers(tiles, threads):
    x = np.arange(3 * tiles * TILE - 10, dtype=np.float32)
    out = np.zeros_like(x)
    produce_and_consume[3, threads](x, out, tiles)
    np.testing.assert_array_equal(out, 2 * x + 1)


@pytest.mark.parametrize("blocks", [1, 5])
@pytest.mark.parametrize("tiles", [1, 2, 9])
def test_sum_of_consumers(tiles, blocks):
    x = np.random.default_rng(tiles).integers(-1000, 1000, (blocks, tiles * TILE))
    sums = np.zeros(blocks, np.int64)
    sum_of_consumers[blocks, WORKERS + 32](x, sums, tiles)
    np.testing.assert_array_equal(sums, x.sum(1))


@pytest.mark.parametrize("threads", [32, 64, 128, 224])
def test_both_arms(threads):
    out = np.zeros(threads, np.int32)
    barrier_in_both_arms[1, threads](out)
    tid = np.arange(threads)
    even = tid // 32 % 2 == 0
    seen = np.where(even, tid + 100, 2 * tid)[(tid + 32) % threads]
    np.testing.assert_array_equal(out, np.where(even, seen, -seen))


@pytest.mark.parametrize("threads", [1, 32, 50, 96])
def test_own_number_of_rounds(threads):
    rounds = np.random.default_rng(threads).integers(0, 9, threads).astype(np.int32)
    out = np.zeros(threads, np.int32)
    own_number_of_rounds[1, threads](rounds, out)
    expected = [np.minimum(rounds, r).sum() for r in rounds]
    assert out.tolist() == expected


@pytest.mark.parametrize("lines", [1, 2, 10])
def test_pipeline(lines):
    x = np.random.default_rng(lines).integers(0, 1000, (lines, 32))
    out = np.zeros_like(x)
    pipeline[1, (32, 3)](x, out)
    np.testing.assert_array_equal(out, ((x * 3)[:, ::-1] + np.arange(lines)[:, None]) ^ 5)
