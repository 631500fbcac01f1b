# The sum of an array in three ways: a tree in shared memory, shuffles within warps, and both levels together.
import numpy as np
from treadle import cuda, float32

THREADS = 256
ALL_LANES = 0xFFFFFFFF


@cuda.jit(device=True)
def own_share(x):
    """What this thread adds up by itself: every gridsize-th element from its own place on."""
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    return total


@cuda.jit
def sum_by_tree(x, out):
    """Half of the threads add the other half's sums to theirs, then a quarter, an eighth, ..."""
    sums = cuda.shared.array(THREADS, float32)
    thread = cuda.threadIdx.x
    sums[thread] = own_share(x)
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if thread < half:
            sums[thread] += sums[thread + half]
        cuda.syncthreads()
        half //= 2
    if thread == 0:
        cuda.atomic.add(out, 0, sums[0])


@cuda.jit(device=True)
def warp_sum(value):
    """The sum over the warp, in its lane 0; registers talk to each other, no memory and no barrier is needed."""
    distance = 16
    while distance > 0:
        value += cuda.shfl_down_sync(ALL_LANES, value, distance)
        distance //= 2
    return value


@cuda.jit
def sum_by_shuffles(x, out):
    """An atomic operation for each warp."""
    total = warp_sum(own_share(x))
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, total)


@cuda.jit
def sum_by_two_levels(x, out):
    """Shuffles within each warp and again over the warps' sums: one barrier and one atomic operation a block."""
    sums = cuda.shared.array(32, float32)
    lane = cuda.threadIdx.x % 32
    warp = cuda.threadIdx.x // 32
    total = warp_sum(own_share(x))
    if lane == 0:
        sums[warp] = total
    cuda.syncthreads()
    if warp == 0:
        total = warp_sum(sums[lane] if lane < THREADS // 32 else float32(0))
        if lane == 0:
            cuda.atomic.add(out, 0, total)


KERNELS = {"tree": sum_by_tree, "shuffles": sum_by_shuffles, "two levels": sum_by_two_levels}


def total(x, way="two levels", blocks=64):
    """The sum of a 1-d float32 array, by one of KERNELS."""
    out = np.zeros(1, np.float32)
    KERNELS[way][blocks, THREADS](x, out)
    return out[0]


def total_numpy(x):
    return x.sum()


def make_numbers(size=1 << 22, seed=1):
    return np.random.default_rng(seed).random(size, dtype=np.float32)


def main():
    x = make_numbers()
    exact = x.sum(dtype=np.float64)
    print(f"the sum of {x.size} numbers is {exact:.3f}; relative errors:")
    for way in KERNELS:
        print(f"  {way:<10} {abs(total(x, way) / exact - 1):.1e}")
    print(f"  {'NumPy':<10} {abs(total_numpy(x) / exact - 1):.1e}")


if __name__ == "__main__":
    main()
