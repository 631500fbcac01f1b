"""Cases: atomic operations, warps, barriers, grids, waiting, printing, errors."""

import numpy as np
from numba import cuda, float32, int32, uint32, uint64
from numba.cuda import random as xoroshiro

from numba_launches.cases import case


@cuda.jit
def histogram_kernel(x, counts):
    local = cuda.shared.array(16, int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t < 16:
        local[t] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(local, x[i], 1)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(counts, t, local[t])


@case
def histogram():
    x = np.random.default_rng(1).integers(0, 16, 1000).astype(np.int32)
    counts = np.zeros(16, np.int32)
    histogram_kernel[8, 128](x, counts)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=16))


@cuda.jit
def atomics_kernel(x, out):
    i = cuda.grid(1)
    v = x[i]
    cuda.atomic.add(out, 0, v)
    cuda.atomic.sub(out, 1, v)
    cuda.atomic.max(out, 2, v)
    cuda.atomic.min(out, 3, v)


@case
def atomic_arithmetic():
    for name in "int32 uint32 int64 uint64 float32 float64".split():
        x = np.random.default_rng(2).permutation(128).astype(name)
        out = np.zeros(4, name)
        out[1], out[3] = 10000, 500
        atomics_kernel[4, 32](x, out)
        np.testing.assert_array_equal(out, [x.sum(), 10000 - x.sum(), 127, 0], name)


@cuda.jit
def bits_kernel(x, out):
    v = x[cuda.grid(1)]
    cuda.atomic.and_(out, 0, v)
    cuda.atomic.or_(out, 1, v)
    cuda.atomic.xor(out, 2, v)
    cuda.atomic.inc(out, 3, 9)
    cuda.atomic.dec(out, 4, 9)


@case
def atomic_bits():
    for name in ("uint32", "uint64"):
        x = np.random.default_rng(3).integers(0, 2**32, 64).astype(name)
        out = np.zeros(5, name)
        out[0] = 2**32 - 1
        bits_kernel[2, 32](x, out)
        expected = [np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x), 64 % 10, 10 - 64 % 10]
        np.testing.assert_array_equal(out, expected)


@cuda.jit
def exchange_kernel(ticket, seen):
    i = cuda.grid(1)
    old = cuda.atomic.exch(ticket, 0, i + 1)
    seen[old] = 1
    while True:
        before = cuda.atomic.add(ticket, 1, 0)
        if cuda.atomic.cas(ticket, 1, before, before + 2) == before:
            break


@case
def atomic_exchanges():
    ticket, seen = np.zeros(2, np.int32), np.zeros(65, np.int32)
    exchange_kernel[2, 32](ticket, seen)
    assert seen.sum() == 64 and seen[ticket[0]] == 0 and ticket[1] == 128


@cuda.jit
def nan_kernel(x, out):
    v = x[cuda.grid(1)]
    cuda.atomic.nanmax(out, 0, v)
    cuda.atomic.nanmin(out, 1, v)


@case
def atomic_extrema_without_nan():
    x = np.arange(64.0)
    x[::5] = np.nan
    out = np.array([np.nan, np.nan])
    nan_kernel[2, 32](x, out)
    np.testing.assert_array_equal(out, [np.nanmax(x), np.nanmin(x)])


@cuda.jit
def shuffle_kernel(x, out):
    t = cuda.threadIdx.x
    v = x[t]
    out[0, t] = cuda.shfl_sync(0xFFFFFFFF, v, 5)
    out[1, t] = cuda.shfl_up_sync(0xFFFFFFFF, v, 3)
    out[2, t] = cuda.shfl_down_sync(0xFFFFFFFF, v, 7)
    out[3, t] = cuda.shfl_xor_sync(0xFFFFFFFF, v, 16)


@case
def shuffles():
    for name in "int32 int64 float32 float64".split():
        x = np.arange(32).astype(name) * 3
        out = np.zeros((4, 32), name)
        shuffle_kernel[1, 32](x, out)
        t = np.arange(32)
        expected = [x[np.full(32, 5)], x[np.where(t < 3, t, t - 3)], x[np.where(t > 24, t, t + 7)], x[t ^ 16]]
        np.testing.assert_array_equal(out, expected)


@cuda.jit
def vote_kernel(x, out):
    t = cuda.threadIdx.x
    mask = uint32(0xFFFFFFFF)
    out[0, t] = cuda.all_sync(mask, x[t] > 0)
    out[1, t] = cuda.any_sync(mask, x[t] > 30)
    out[2, t] = cuda.eq_sync(mask, x[t] >= 0)
    out[3, t] = cuda.ballot_sync(mask, x[t] % 2)
    out[4, t] = cuda.match_any_sync(mask, x[t] % 4)
    found, same = cuda.match_all_sync(mask, x[t])
    out[5, t] = found + same
    out[6, t] = cuda.lanemask_lt() if t % 3 else cuda.activemask()
    cuda.syncwarp()


@case
def votes():
    x, out = np.arange(32, dtype=np.int32), np.zeros((7, 32), np.uint32)
    vote_kernel[1, 32](x, out)
    assert (out[0] == 0).all() and (out[1] == 1).all() and (out[2] == 1).all()
    assert (out[3] == 0xAAAAAAAA).all()
    np.testing.assert_array_equal(out[4], [0x11111111 << (t % 4) for t in range(32)])
    assert (out[5] == 0).all()
    every_third = sum(1 << t for t in range(0, 32, 3))
    np.testing.assert_array_equal(out[6], [(1 << t) - 1 if t % 3 else every_third for t in range(32)])


@cuda.jit
def counting_barriers_kernel(x, out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.syncthreads_count(x[t])
    out[1, t] = cuda.syncthreads_and(x[t])
    out[2, t] = cuda.syncthreads_or(x[t])


@case
def counting_barriers():
    x, out = (np.arange(96) % 3 == 0).astype(np.int32), np.zeros((3, 96), np.int32)
    counting_barriers_kernel[1, 96](x, out)
    assert (out[0] == 32).all() and (out[1] == 0).all() and (out[2] != 0).all()


@case
def reductions():
    add = cuda.reduce(lambda a, b: a + b)
    largest = cuda.reduce(lambda a, b: a if a > b else b)
    for count in (1, 33, 1000, 5000):
        x = np.random.default_rng(4).integers(0, 10**6, count)
        assert add(x) == x.sum() and largest(x) == x.max()
        assert add(x, init=5, size=count // 2) == x[: count // 2].sum() + 5


@case
def cooperative_grids():
    @cuda.jit
    def kernel(x, rounds):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        for _ in range(rounds):
            value = x[(i + 1) % x.size]
            grid.sync()
            x[i] = value
            grid.sync()

    x = np.arange(256, dtype=np.int32)
    kernel[8, 32](x, 5)
    np.testing.assert_array_equal(x, np.roll(np.arange(256), -5))
    overload = next(iter(kernel.overloads.values()))
    assert overload.max_cooperative_grid_blocks(32) >= 8


@case
def locks():
    @cuda.jit
    def kernel(lock, total):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(lock, 0, 0, 1):
                cuda.nanosleep(uint32(20))
            cuda.threadfence()
            total[0] += cuda.blockIdx.x
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)

    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int64)
    kernel[32, 32](lock, total)
    assert total[0] == 31 * 16 and lock[0] == 0


@case
def printing():
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i % 16 == 3:
            print("thread", i, "has", x[i], True)

    kernel[1, 32](np.arange(32) / 2)
    cuda.synchronize()


@case
def exceptions():
    @cuda.jit(debug=True, opt=False)
    def kernel(x):
        i = cuda.grid(1)
        if x[i] > 40:
            raise ValueError("too large")
        x[i] += 1

    x = np.arange(32)
    kernel[1, 32](x)
    np.testing.assert_array_equal(x, np.arange(32) + 1)
    try:
        kernel[2, 16](x + 20)
    except ValueError as error:
        assert "too large" in str(error)
    else:
        raise AssertionError("the kernel raised nothing")


@case
def assertions():
    @cuda.jit(debug=True, opt=False)
    def kernel(x):
        assert x[cuda.grid(1)] < 30, "small numbers only"

    kernel[1, 30](np.arange(32))
    try:
        kernel[1, 32](np.arange(32))
    except AssertionError as error:
        assert "small numbers only" in str(error)
    else:
        raise RuntimeError("the kernel raised nothing")


@case
def line_numbers():
    @cuda.jit(lineinfo=True)
    def kernel(x):
        i = cuda.grid(1)
        x[i] = x[i] * 2

    x = np.arange(32.0)
    kernel[1, 32](x)
    np.testing.assert_array_equal(x, np.arange(32.0) * 2)


@case
def random_numbers():
    @cuda.jit
    def kernel(states, out):
        i = cuda.grid(1)
        out[i] = xoroshiro.xoroshiro128p_uniform_float32(states, i)
        out[i] += float32(0) * xoroshiro.xoroshiro128p_normal_float32(states, i)

    states = xoroshiro.create_xoroshiro128p_states(256, seed=1)
    out = np.zeros(256, np.float32)
    kernel[8, 32](states, out)
    assert ((out >= 0) & (out < 1)).all() and len(set(out.tolist())) > 250 and 0.4 < out.mean() < 0.6


@case
def waiting_blocks():
    @cuda.jit
    def kernel(flags, out):
        block = cuda.blockIdx.x
        if cuda.threadIdx.x == 0:
            while block and cuda.atomic.add(flags, block - 1, 0) == 0:
                pass
            cuda.threadfence()
            out[block] = out[block - 1] + block if block else uint64(0)
            cuda.threadfence()
            cuda.atomic.exch(flags, block, 1)

    flags, out = np.zeros(16, np.int32), np.zeros(16, np.uint64)
    kernel[16, 32](flags, out)
    np.testing.assert_array_equal(out, np.cumsum(np.arange(16)))
