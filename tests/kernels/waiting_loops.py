# Which loops may wait for other threads: in PTX they reload plain flags in each iteration. Loops that end whatever
# other threads do need no fibers on the CPU device.
import numpy as np
import stand_in
from treadle import cuda, int32, int64

from kernels.harness import check, launch


@cuda.jit
def plain_flag(flag, out):
    # CHECK-PTX-LABEL: .entry {{.*}}plain_flag
    # CHECK-PTX: ld.volatile.global
    if cuda.blockIdx.x == 0:
        while flag[0] == 0:
            pass
        out[0] = 7
    else:
        flag[0] = 1


@cuda.jit(device=True)
def first(flag):
    return flag[0]


@cuda.jit
def flag_in_function(flag, out):
    # CHECK-PTX-LABEL: .entry {{.*}}flag_in_function
    # CHECK-PTX: ld.volatile.global
    if cuda.blockIdx.x == 0:
        done = False
        while not done:
            if first(flag) == 1:
                done = True
        out[0] = 7
    else:
        flag[0] = 1


@cuda.jit
def ranks(x, out):
    # CHECK-PTX-LABEL: .entry {{.*}}ranks
    # CHECK-PTX-NOT: ld.volatile
    sorted_part = cuda.shared.array(64, int64)
    t = cuda.threadIdx.x
    sorted_part[t] = x[t]
    cuda.syncthreads()
    low, high = 0, 64
    while low < high:
        middle = (low + high) // 2
        if sorted_part[middle] < 3 * t:
            low = middle + 1
        else:
            high = middle
    cuda.syncthreads()
    sorted_part[t] = low
    cuda.syncthreads()
    out[t] = sorted_part[63 - t]


@cuda.jit
def sorted_rows(rows):
    r = cuda.grid(1)
    for i in range(1, rows.shape[1]):
        value = rows[r, i]
        j = i - 1
        while j >= 0 and rows[r, j] > value:
            rows[r, j + 1] = rows[r, j]
            j -= 1
        rows[r, j + 1] = value


@cuda.jit
def roots(x, tolerance, out):
    i = cuda.grid(1)
    guess = x[i]
    while abs(guess * guess - x[i]) > tolerance[0]:
        guess = (guess + x[i] / guess) / 2
    out[i] = guess


@cuda.jit
def counts(x, bins, out):
    i = cuda.grid(1)
    for k in range(i, x.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, x[k] % 5, 1)
    best = int32(0)
    for k in range(x.size):
        if x[k] > out[i]:
            out[i] = x[k]
        if x[k] == 1000:
            break
        best += 1


@cuda.jit
def attempts_at_two_places(flag, out):
    if cuda.grid(1) == 0:
        for j in range(1 << 40):
            if cuda.atomic.cas(flag, j & 1, 7, 9) == 7:
                out[0] = 7
                break
    elif cuda.grid(1) == 32:
        flag[1] = 7


@cuda.jit
def looks_at_two_places(flag, out):
    if cuda.grid(1) == 0:
        j = 0
        while j < 1 << 40:
            if flag[j & 1] == 7:
                out[0] = 7
                break
            j += 1
    elif cuda.grid(1) == 32:
        flag[1] = 7


ORDINARY = (ranks, sorted_rows, roots, counts)
PTX = [
    (plain_flag, "(int64[::1], int64[::1])"),
    (flag_in_function, "(int64[::1], int64[::1])"),
    (ranks, "(int64[::1], int64[::1])"),
]


def run():
    for kernel in (plain_flag, flag_in_function):
        assert launch(kernel, 2, 1, np.zeros(1, np.int64), np.zeros(1, np.int64))[1] == 7
    for kernel in (attempts_at_two_places, looks_at_two_places):
        for blocks, threads in ((1, 64), (64, 1)):
            assert launch(kernel, blocks, threads, np.zeros(2, np.int64), np.zeros(1, np.int64))[1] == 7
    check(ranks, 1, 64, np.arange(64) * 2, np.zeros(64, np.int64))
    check(sorted_rows, 2, 8, np.random.default_rng(5).integers(0, 100, (16, 20)))
    check(roots, 1, 33, np.arange(1.0, 34.0), np.array([1e-9]), np.zeros(33), rtol=1e-12)
    check(counts, 2, 32, np.random.default_rng(6).integers(0, 100, 500), np.zeros(5, np.int64), np.zeros(64, np.int64))
    if stand_in.is_under_test():
        return  # what follows is about the CPU device's code
    for kernel in ORDINARY:
        assert "treadle_cpu_run_block" not in kernel.inspect("llvm"), kernel.py_func.__name__
    for kernel in (plain_flag, flag_in_function):
        assert "treadle_cpu_run_block" in kernel.inspect("llvm"), kernel.py_func.__name__
