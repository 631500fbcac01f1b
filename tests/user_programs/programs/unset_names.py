# The best match of patterns in a text of codes: names that no path has set are passed on, their values unused.
import numpy as np
from treadle import cuda, int32


@cuda.jit(device=True)
def better(score, best, place, best_place):
    if best < 0:
        return score, place
    if score > best:
        return score, place
    return best, best_place


@cuda.jit(device=True)
def matches(text, pattern, at):
    same = 0
    for k in range(pattern.size):
        if pattern[k] >= 0:
            wanted = pattern[k]
        elif k == 0:
            continue
        if text[at + k] == wanted:
            same += 1
    return same


@cuda.jit
def search(text, patterns, places, found):
    row = cuda.blockIdx.x
    best = -1
    for at in range(cuda.threadIdx.x, text.size - patterns.shape[1] + 1, cuda.blockDim.x):
        score = matches(text, patterns[row], at)
        if score == patterns.shape[1] + 1:
            place = 0  # never
        best, place = better(score, best, at, place)
    if best >= 0:
        packed = best * 1000 + (999 - place)
        cuda.atomic.max(found, row, packed)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        score = found[row] // 1000
        if score == patterns.shape[1]:
            complete = True
            where = int32(999 - found[row] % 1000)
        if score == patterns.shape[1] and complete:
            places[row] = where
        else:
            places[row] = -1


rng = np.random.default_rng(11)
text = rng.integers(0, 4, 90).astype(np.int8)
patterns = np.stack([text[7:12], text[60:65], np.array([0, 1, 0, 1, 0]), np.array([9, 9, 9, 9, 9])]).astype(np.int8)
patterns[1, 2] = -1  # as the one before
places, found = cuda.device_array(4, np.int64), cuda.to_device(np.full(4, -1))
search[4, 32](text, patterns, places, found)

for row, pattern in enumerate(patterns):
    filled = pattern.copy()
    for k in range(1, 5):
        filled[k] = pattern[k] if pattern[k] >= 0 else filled[k - 1]
    scores = [(text[at : at + 5] == filled).sum() for at in range(text.size - 4)]
    best = int(np.argmax(scores))
    assert found[row] == scores[best] * 1000 + 999 - best
    assert places[row] == (best if scores[best] == 5 else -1)
