# How a program starts: it reads the device's attributes when imported, and makes grids of floats and NumPy numbers.
import math

import numpy as np
from treadle import cuda, int64, uint64

device = cuda.get_current_device()
TPB = min(device.MAX_THREADS_PER_BLOCK, device.MAX_BLOCK_DIM_X, 64)
LANES = device.WARP_SIZE
SMS = device.MULTIPROCESSOR_COUNT
assert device.MAX_GRID_DIM_X > 1000 and device.ASYNC_ENGINE_COUNT >= 0 and device.compute_capability >= (3, 5)


@cuda.jit
def collatz(first, last, lengths):
    start, stride = cuda.grid(1), cuda.gridsize(1)
    for n in range(first + np.uint64(start), last, np.uint64(stride)):
        steps, value = np.uint32(0), np.uint64(n)
        while value != np.uint64(1):
            value = value // np.uint64(2) if value & np.uint64(1) == 0 else np.uint64(3) * value + np.uint64(1)
            steps += np.uint32(1)
        lengths[n - first] = steps


@cuda.jit
def wrapping(x, out):
    i = cuda.grid(1)
    if i < x.size:
        hashed = uint64(x[i])
        hashed ^= hashed >> np.uint64(33)
        hashed *= np.uint64(0xFF51AFD7ED558CCD)
        hashed ^= hashed >> np.uint64(33)
        out[i] = np.int32(hashed & np.uint64(0x7FFFFFFF)) % np.int32(LANES)


@cuda.jit
def lane_sums(x, out):
    i = cuda.grid(1)
    value = x[i] if i < x.size else int64(0)
    offset = LANES // 2
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, value)


def length(n):
    steps = 0
    while n != 1:
        n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
    return steps


n = 100
lengths = cuda.device_array(n, np.uint32)
grids = (np.ceil(n / TPB), np.int32(2), (np.ceil(n / TPB),), np.uint8(2))
for blocks in grids:
    collatz[blocks, np.int64(TPB)](np.uint64(1), np.uint64(n + 1), lengths)
    np.testing.assert_array_equal(lengths.copy_to_host(), [length(k) for k in range(1, n + 1)])
collatz.configure(2, 32)(np.uint64(2**40), np.uint64(2**40 + 8), lengths)
assert lengths.copy_to_host()[:8].tolist() == [length(k) for k in range(2**40, 2**40 + 8)]

x, out = np.arange(n), np.zeros(n, np.int32)
wrapping.forall(n)(x, out)
hashed = x.astype(np.uint64)
hashed ^= hashed >> np.uint64(33)
hashed *= np.uint64(0xFF51AFD7ED558CCD)
hashed ^= hashed >> np.uint64(33)
np.testing.assert_array_equal(out, (hashed & np.uint64(0x7FFFFFFF)).astype(np.int64) % 32)

total = np.zeros(1, np.int64)
lane_sums[math.ceil(n / TPB), TPB](out.astype(np.int64), total)
assert total[0] == out.sum() == cuda.reduce(lambda a, b: a + b)(cuda.to_device(out))
with cuda.gpus[0]:
    assert cuda.current_context().device.id == device.id
assert SMS >= 1 and len(cuda.gpus) >= 1
