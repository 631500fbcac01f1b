"""Attention without the matrix of scores: tiles of keys and values, and a softmax that is corrected tile by tile."""

import math

import numpy as np
import pytest
from treadle import cuda, float32

FULL = 0xFFFFFFFF
HEAD = 32
TILE = 16
PADDED = HEAD + 1
COLUMNS = HEAD // TILE


@cuda.jit
def attention_by_rows(query, key, value, out, scale, causal):
    """One query per thread, which keeps its row of the result; the block shares tiles of keys and values."""
    keys = cuda.shared.array((TILE, HEAD), float32)
    values = cuda.shared.array((TILE, HEAD), float32)
    mine = cuda.local.array(HEAD, float32)
    sums = cuda.local.array(HEAD, float32)
    head = cuda.blockIdx.y
    tid = cuda.threadIdx.x
    row = cuda.blockIdx.x * cuda.blockDim.x + tid
    rows, count = query.shape[1], key.shape[1]
    for d in range(HEAD):
        mine[d] = query[head, row, d] * scale if row < rows else float32(0)
        sums[d] = float32(0)
    largest = float32(-math.inf)
    total = float32(0)
    for start in range(0, count, TILE):
        for e in range(tid, TILE * HEAD, cuda.blockDim.x):
            j, d = e // HEAD, e % HEAD
            if start + j < count:
                keys[j, d] = key[head, start + j, d]
                values[j, d] = value[head, start + j, d]
        cuda.syncthreads()
        if row < rows:
            for j in range(min(TILE, count - start)):
                if causal and start + j > row:
                    break
                score = float32(0)
                for d in range(HEAD):
                    score += mine[d] * keys[j, d]
                higher = max(largest, score)
                correction = math.exp(largest - higher)
                weight = math.exp(score - higher)
                total = total * correction + weight
                for d in range(HEAD):
                    sums[d] = sums[d] * correction + weight * values[j, d]
                largest = higher
        cuda.syncthreads()
    if row < rows:
        for d in range(HEAD):
            out[head, row, d] = sums[d] / total


@cuda.jit
def attention_by_tiles(query, key, value, out, scale, causal):
    """A tile of scores per 16 x 16 threads; the maximum and sum of each row are in shared memory."""
    queries = cuda.shared.array((TILE, PADDED), float32)
    keys = cuda.shared.array((TILE, PADDED), float32)
    values = cuda.shared.array((TILE, PADDED), float32)
    scores = cuda.shared.array((TILE, TILE), float32)
    corrections = cuda.shared.array(TILE, float32)
    totals = cuda.shared.array(TILE, float32)
    maxima = cuda.shared.array(TILE, float32)
    sums = cuda.local.array(COLUMNS, float32)
    tx, ty, head = cuda.threadIdx.x, cuda.threadIdx.y, cuda.blockIdx.y
    row = cuda.blockIdx.x * TILE + ty
    rows, count = query.shape[1], key.shape[1]
    for c in range(COLUMNS):
        queries[ty, tx + c * TILE] = query[head, row, tx + c * TILE] * scale if row < rows else float32(0)
        sums[c] = 0
    if tx == 0:
        maxima[ty], totals[ty] = float32(-math.inf), float32(0)
    last = min(count, (cuda.blockIdx.x + 1) * TILE) if causal else count
    for start in range(0, last, TILE):
        for c in range(COLUMNS):
            inside = start + ty < count
            keys[ty, tx + c * TILE] = key[head, start + ty, tx + c * TILE] if inside else float32(0)
            values[ty, tx + c * TILE] = value[head, start + ty, tx + c * TILE] if inside else float32(0)
        cuda.syncthreads()
        score = float32(0)
        for d in range(HEAD):
            score += queries[ty, d] * keys[tx, d]
        hidden = start + tx >= count or (causal and start + tx > row)
        scores[ty, tx] = float32(-math.inf) if hidden else score
        cuda.syncthreads()
        if tx == 0:
            higher = maxima[ty]
            for j in range(TILE):
                higher = max(higher, scores[ty, j])
            corrections[ty] = math.exp(maxima[ty] - higher)
            maxima[ty] = higher
            total = totals[ty] * corrections[ty]
            for j in range(TILE):
                scores[ty, j] = math.exp(scores[ty, j] - higher)
                total += scores[ty, j]
            totals[ty] = total
        cuda.syncthreads()
        for c in range(COLUMNS):
            sums[c] *= corrections[ty]
            for j in range(TILE):
                sums[c] += scores[ty, j] * values[j, tx + c * TILE]
        cuda.syncthreads()
    if row < rows:
        for c in range(COLUMNS):
            out[head, row, tx + c * TILE] = sums[c] / totals[ty]


@cuda.jit
def attention_by_warps(query, key, value, out, scale, causal):
    """One query per warp, one element of the head per lane; scores are sums over the warp."""
    lane = cuda.threadIdx.x
    head = cuda.blockIdx.y
    row = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if row >= query.shape[1]:
        return
    mine = query[head, row, lane] * scale
    largest, total, mixed = float32(-math.inf), float32(0), float32(0)
    for j in range(row + 1 if causal else key.shape[1]):
        score = mine * key[head, j, lane]
        offset = 16
        while offset > 0:
            score += cuda.shfl_xor_sync(FULL, score, offset)
            offset //= 2
        higher = max(largest, score)
        correction = math.exp(largest - higher)
        weight = math.exp(score - higher)
        total = total * correction + weight
        mixed = mixed * correction + weight * value[head, j, lane]
        largest = higher
    out[head, row, lane] = mixed / total


ARGUMENTS = "(" + "float32[:, :, ::1], " * 4 + "float32, bool_)"
PTX = [(attention_by_rows, ARGUMENTS), (attention_by_tiles, ARGUMENTS), (attention_by_warps, ARGUMENTS)]


def make_heads(rows, count, heads=2):
    rng = np.random.default_rng(rows + count)
    shapes = (heads, rows, HEAD), (heads, count, HEAD), (heads, count, HEAD)
    return [3 * rng.normal(size=shape).astype(np.float32) for shape in shapes]


def attention_numpy(query, key, value, causal):
    scores = query.astype(float) @ key.transpose(0, 2, 1) / math.sqrt(HEAD)
    if causal:
        scores[:, np.arange(query.shape[1])[:, None] < np.arange(key.shape[1])] = -np.inf
    weights = np.exp(scores - scores.max(2, keepdims=True))
    return weights @ value / weights.sum(2, keepdims=True)


def check(kernel, rows, count, causal, threads, rows_of_block):
    query, key, value = make_heads(rows, count)
    out = np.zeros_like(query)
    grid = -(-rows // rows_of_block), len(query)
    kernel[grid, threads](query, key, value, out, np.float32(1 / math.sqrt(HEAD)), causal)
    np.testing.assert_allclose(out, attention_numpy(query, key, value, causal), rtol=1e-4, atol=1e-5)


LENGTHS = [(1, 1, True), (16, 16, True), (50, 50, True), (16, 16, False), (33, 70, False), (64, 5, False)]


@pytest.mark.parametrize("threads", [32, 50, 128])
@pytest.mark.parametrize(("rows", "count", "causal"), LENGTHS)
def test_a_query_for_each_thread(rows, count, causal, threads):
    check(attention_by_rows, rows, count, causal, threads, threads)


@pytest.mark.parametrize(("rows", "count", "causal"), LENGTHS)
def test_tiles_of_scores(rows, count, causal):
    check(attention_by_tiles, rows, count, causal, (TILE, TILE), TILE)


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize(("rows", "count", "causal"), LENGTHS)
def test_a_query_for_each_warp(rows, count, causal, warps):
    check(attention_by_warps, rows, count, causal, (32, warps), warps)
