# Dynamic shared memory: sized by the launch, next to static arrays, viewed as two types at once.
import numpy as np
from treadle import cuda, float64, int32

from kernels.harness import launch


@cuda.jit
def reverse(out):
    fixed = cuda.shared.array(3, int32)
    row = cuda.shared.array(0, float64)
    i = cuda.threadIdx.x
    if i < 3:
        fixed[i] = i + 100
    row[i] = 1.5 * i
    cuda.syncthreads()
    out[i] = row[row.size - 1 - i] + fixed[i % 3]  # CHECK-PTX: .extern .shared .align 16 .b8 treadle_dynamic_shared[];


@cuda.jit(device=True)
def scratch():
    return cuda.shared.array(shape=(0,), dtype=int32)


@cuda.jit
def both_views(out):
    i = cuda.threadIdx.x
    numbers = scratch()
    numbers[i] = i + 1
    cuda.syncthreads()
    pairs = cuda.shared.array(0, "int64")
    if i < pairs.size:
        out[i] = pairs[i]
    if i == 0:
        out[out.size - 1] = numbers.size * 1000 + pairs.shape[0]


PTX = [(reverse, "(float64[::1],)"), (both_views, "(int64[::1],)")]


def run():
    for threads in (32, 50, 256):
        (out,) = launch(reverse, 2, (threads, 1, 1), np.zeros(threads), shared=8 * threads)
        i = np.arange(threads)
        assert out.tolist() == (1.5 * i[::-1] + 100 + i % 3).tolist()
    (out,) = launch(both_views, 1, 40, np.zeros(41, np.int64), shared=160)
    assert out[:20].tolist() == [(2 * k + 1) + ((2 * k + 2) << 32) for k in range(20)]
    assert out[40] == 40020
