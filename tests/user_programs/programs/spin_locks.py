# A histogram under a spin lock, with the mean and the extreme of each bin, beside one with atomic operations.
import numpy as np
from treadle import cuda, int32


@cuda.jit(device=True)
def enter(door):
    while cuda.atomic.compare_and_swap(door, 0, 1) != 0:
        pass
    cuda.threadfence()


@cuda.jit(device=True)
def leave(door):
    cuda.threadfence()
    cuda.atomic.exch(door, 0, 0)


@cuda.jit
def by_lock(values, doors, bins, largest):
    i = cuda.grid(1)
    if i < values.size:
        k = int(values[i] * bins.shape[0])
        enter(doors[k : k + 1])
        bins[k, 0] += 1
        bins[k, 1] += values[i]
        largest[k] = max(largest[k], values[i])
        leave(doors[k : k + 1])


@cuda.jit
def by_atomics(values, counts, sums, largest):
    local = cuda.shared.array((2, 8), int32)
    if cuda.threadIdx.x < 8:
        local[0, cuda.threadIdx.x] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < values.size:
        k = int(values[i] * 8)
        cuda.atomic.add(local, (0, k), 1)
        cuda.atomic.add(sums, k, values[i])
        cuda.atomic.max(largest, k, values[i])
    cuda.syncthreads()
    if cuda.threadIdx.x < 8:
        cuda.atomic.add(counts, cuda.threadIdx.x, local[0, cuda.threadIdx.x])


rng = np.random.default_rng(5)
values = (rng.integers(0, 64, 70) / 64).astype(np.float32)
doors = cuda.device_array(8, np.int32)
doors[:] = 0
bins = cuda.mapped_array((8, 2), np.float32)
bins[:] = 0
largest = cuda.to_device(np.zeros(8, np.float32))
by_lock[3, 32](values, doors, bins, largest)
cuda.synchronize()

places = (values * 8).astype(int)
counts = np.bincount(places, minlength=8)
sums = np.bincount(places, values, minlength=8)
np.testing.assert_array_equal(bins, np.stack([counts, sums], axis=1))
top = [values[places == k].max() for k in range(8)]
np.testing.assert_array_equal(largest.copy_to_host(), np.array(top, np.float32))

found = [np.zeros(8, dtype) for dtype in (np.int32, np.float16, np.float16)]
by_atomics[3, 32](values.astype(np.float16), *found)
np.testing.assert_array_equal(found[0], counts)
np.testing.assert_array_equal(found[1], sums.astype(np.float16))
np.testing.assert_array_equal(found[2], np.array(top, np.float16))
