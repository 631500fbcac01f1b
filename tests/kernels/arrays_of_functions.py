# The shared array of a device function exists once per block, wherever and through whatever calls it is reached.
import numpy as np
from treadle import cuda, int32

from kernels.harness import check, launch


@cuda.jit(device=True)
def exchange(writes, value):
    row = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if writes:
        row[t] = value
    cuda.syncthreads()
    return row[cuda.blockDim.x - 1 - t]


@cuda.jit(device=True)
def guarded(value):
    if value < 0:
        return int32(0)
    return exchange(True, value)


@cuda.jit(device=True)
def twice_guarded(value):
    if value < -1:
        return int32(0)
    return guarded(value)


@cuda.jit
def behind_an_early_return(out):
    t = cuda.threadIdx.x
    guarded(t + 1)
    cuda.syncthreads()
    out[t] = exchange(False, 0)


@cuda.jit
def three_ways(out):
    t = cuda.threadIdx.x
    twice_guarded(t * 3)
    cuda.syncthreads()
    value = exchange(False, 0) + 1
    cuda.syncthreads()
    out[t] = guarded(value)
    cuda.syncthreads()
    out[t] += 1000 * exchange(False, 0)


@cuda.jit
def under_a_mask(out):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        guarded(t + 1)
    else:
        guarded(t + 2)
    cuda.syncthreads()
    out[t] = exchange(False, 0)


@cuda.jit(inline="never", device=True)
def kept(value, out):
    row = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if value >= 0:
        row[t] = value
    else:
        out[t] = row[cuda.blockDim.x - 1 - t]


@cuda.jit
def of_a_kept_function(out):
    kept(int32(cuda.threadIdx.x), out)
    cuda.syncthreads()
    kept(int32(-1), out)


def run():
    for block in (32, 64, 7):
        out = np.zeros(block, np.int32)
        check(behind_an_early_return, 1, block, out)
        check(three_ways, 1, block, out)
        check(under_a_mask, 1, block, out)
        assert launch(of_a_kept_function, 1, block, out)[0].tolist() == [*range(block)][::-1]


PTX = [(kernel, "(int32[::1],)") for kernel in (behind_an_early_return, three_ways, of_a_kept_function)]
