# A sum of squares whose last steps count on the lanes of a warp working in step, as programs before Volta's did.
import math

import numpy as np
from treadle import cuda, float32

TPB = 128


@cuda.jit
def norms(x, out):
    s = cuda.shared.array(TPB, dtype=float32)
    tid = cuda.threadIdx.x
    i = cuda.blockIdx.x * (TPB * 2) + tid
    s[tid] = 0
    while i < x.size:
        s[tid] += x[i] * x[i]
        if i + TPB < x.size:
            s[tid] += x[i + TPB] * x[i + TPB]
        i += TPB * 2 * cuda.gridDim.x
    cuda.syncthreads()
    if tid < 64:
        s[tid] += s[tid + 64]
    cuda.syncthreads()
    if tid < 32:
        s[tid] += s[tid + 32]
        s[tid] += s[tid + 16]
        s[tid] += s[tid + 8]
        s[tid] += s[tid + 4]
        s[tid] += s[tid + 2]
        s[tid] += s[tid + 1]
    if tid == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def rotated(x, out):
    """Each lane takes what its neighbour has written, and writes it back, twice."""
    s = cuda.shared.array(32, dtype=float32)
    lane = cuda.threadIdx.x
    s[lane] = x[lane]
    kept = s[(lane + 1) % 32]
    s[lane] = kept
    out[lane] = s[(lane + 1) % 32] + cuda.shfl_down_sync(0xFFFFFFFF, kept, 1)


sum_reduce = cuda.reduce(lambda a, b: a + b)
x = np.arange(1000, dtype=np.float32) % 13
partial = cuda.device_array(3, np.float32)
norms[3, TPB](x, partial)
assert sum_reduce(partial) == (x * x).sum()
assert math.isclose(float(np.sqrt(sum_reduce(partial))), float(np.linalg.norm(x)), rel_tol=1e-6)

x = x[:32].copy()
out = np.zeros_like(x)
rotated[1, 32](x, out)
kept = np.roll(x, -1)
np.testing.assert_array_equal(out, np.roll(x, -2) + np.append(kept[1:], kept[-1:]))
