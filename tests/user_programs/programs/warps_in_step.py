# A sum of squares whose last steps count on the lanes of a warp working in step, as programs before Volta's did.
import math

import numpy as np
from treadle import cuda, float32

THREADS = 128
STEPS_OF_A_WARP = (16, 8, 4, 2, 1)


@cuda.jit
def norms(x, out):
    sums = cuda.shared.array(THREADS, dtype=float32)
    t = cuda.threadIdx.x
    own = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        own += x[i] ** 2
    sums[t] = own
    cuda.syncthreads()
    if t < 64:
        sums[t] += sums[t + 64]
    cuda.syncthreads()
    if t < 32:
        sums[t] += sums[t + 32]
        for step in STEPS_OF_A_WARP:
            sums[t] += sums[t + step]
    if t == 0:
        out[cuda.blockIdx.x] = sums[0]


@cuda.jit
def rotated(x, out):
    """Each lane takes what its neighbour has written, and writes it back, twice."""
    s = cuda.shared.array(32, dtype=float32)
    lane = cuda.threadIdx.x
    s[lane] = x[lane]
    kept = s[(lane + 1) % 32]
    s[lane] = kept
    out[lane] = s[(lane + 1) % 32] + cuda.shfl_down_sync(0xFFFFFFFF, kept, 1)


total = cuda.reduce(lambda a, b: a + b)
x = np.arange(1000, dtype=np.float32) % 13
partial = cuda.device_array(3, np.float32)
norms[3, THREADS](x, partial)
assert total(partial) == (x * x).sum()
assert math.isclose(float(np.sqrt(total(partial))), float(np.linalg.norm(x)), rel_tol=1e-6)

x = x[:32].copy()
out = np.zeros_like(x)
rotated[1, 32](x, out)
kept = np.roll(x, -1)
np.testing.assert_array_equal(out, np.roll(x, -2) + np.append(kept[1:], kept[-1:]))
