# Attention without its matrix of scores: tiles of keys and values pass by, and the softmax is corrected as they do.
import math

import numpy as np
from treadle import cuda, float32

TILE = 16
HEAD = 64  # elements of a query, a key and a value
PADDED = 65  # one more, so that a column of a tile lies in different banks
PARTS = HEAD // TILE
LOWEST = np.float32(-np.inf)


@cuda.jit
def attention_kernel(query, key, value, causal, out):
    """TILE x TILE threads for TILE queries: thread (x, y) has score x of query y, and PARTS elements of its result."""
    queries = cuda.shared.array((TILE, PADDED), float32)
    keys = cuda.shared.array((TILE, PADDED), float32)
    values = cuda.shared.array((TILE, PADDED), float32)
    scores = cuda.shared.array((TILE, TILE), float32)
    mixed = cuda.local.array(PARTS, float32)
    x, y, head = cuda.threadIdx.x, cuda.threadIdx.y, cuda.blockIdx.y
    row = cuda.blockIdx.x * TILE + y
    scale = float32(1.0 / math.sqrt(HEAD))
    for part in range(PARTS):
        element = x + part * TILE
        queries[y, element] = query[head, row, element] * scale if row < query.shape[1] else float32(0.0)
        mixed[part] = float32(0.0)
    highest, total = LOWEST, float32(0.0)
    last = min(key.shape[1], (cuda.blockIdx.x + 1) * TILE) if causal else key.shape[1]
    for start in range(0, last, TILE):
        for part in range(PARTS):
            element = x + part * TILE
            inside = start + y < key.shape[1]
            keys[y, element] = key[head, start + y, element] if inside else float32(0.0)
            values[y, element] = value[head, start + y, element] if inside else float32(0.0)
        cuda.syncthreads()

        score = float32(0.0)
        for element in range(HEAD):
            score += queries[y, element] * keys[x, element]
        hidden = start + x >= key.shape[1] or (causal and start + x > row)
        scores[y, x] = LOWEST if hidden else score
        cuda.syncthreads()

        # What was summed up so far is relative to the highest score so far.
        before = highest
        for k in range(TILE):
            highest = max(highest, scores[y, k])
        correction = math.exp(before - highest)
        total *= correction
        for part in range(PARTS):
            mixed[part] *= correction
        for k in range(TILE):
            weight = math.exp(scores[y, k] - highest)
            total += weight
            for part in range(PARTS):
                mixed[part] += weight * values[k, x + part * TILE]
        cuda.syncthreads()
    if row < query.shape[1]:
        for part in range(PARTS):
            out[head, row, x + part * TILE] = mixed[part] / total


def attention(query, key, value, causal=True):
    """softmax(query key^T / sqrt(HEAD)) value, of float32 arrays (heads, rows, HEAD).

    `causal`: row i sees the keys up to i only.
    """
    out = np.empty_like(query)
    heads, rows, _ = query.shape
    attention_kernel[((rows + TILE - 1) // TILE, heads), (TILE, TILE)](query, key, value, causal, out)
    return out


def attention_numpy(query, key, value, causal=True):
    scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(HEAD))
    if causal:
        scores[:, np.arange(query.shape[1])[:, None] < np.arange(key.shape[1])] = LOWEST
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights @ value / weights.sum(axis=2, keepdims=True)


def make_heads(rows=1024, heads=4, seed=1):
    """Queries, keys and values."""
    return 2 * np.random.default_rng(seed).standard_normal((3, heads, rows, HEAD), dtype=np.float32)


def main():
    heads = make_heads()
    error = np.abs(attention(*heads) - attention_numpy(*heads)).max()
    print(f"attention over {heads.shape[1]} heads of {heads.shape[2]} rows: largest difference from NumPy {error:.1e}")


if __name__ == "__main__":
    main()
