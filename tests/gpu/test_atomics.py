"""Atomic operations by many blocks at once, in global and in shared memory."""

import numpy as np
import pytest
from treadle import cuda, float32, int32

BLOCKS, THREADS = 64, 128
COUNT = BLOCKS * THREADS


@cuda.jit
def arithmetic(x, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, x[i])
    cuda.atomic.sub(out, 1, x[i])
    cuda.atomic.max(out, 2, x[i])
    cuda.atomic.min(out, 3, x[i])


@pytest.mark.parametrize("dtype", "int32 uint32 int64 uint64 float32 float64".split())
def test_arithmetic(dtype):
    # Sums below 2^24 are exact in any order.
    x = (np.random.default_rng(1).permutation(COUNT) % 1000).astype(dtype)
    out = np.array([0, 8_000_000, 0, 5000], dtype)
    arithmetic[BLOCKS, THREADS](x, out)
    np.testing.assert_array_equal(out, np.array([x.sum(), 8_000_000 - x.sum(), x.max(), x.min()], dtype))


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    cuda.atomic.and_(out, 0, x[i])
    cuda.atomic.or_(out, 1, x[i])
    cuda.atomic.xor(out, 2, x[i])


@pytest.mark.parametrize("dtype", "int32 uint32 int64 uint64".split())
def test_bits(dtype):
    x = np.random.default_rng(2).integers(0, 2**31, COUNT).astype(dtype)
    out = np.array([-1 if dtype.startswith("i") else np.iinfo(dtype).max, 0, 0], dtype)
    bits[BLOCKS, THREADS](x, out)
    reduced = [np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)]
    np.testing.assert_array_equal(out, np.array(reduced, dtype))


@cuda.jit
def wrapping(out):
    cuda.atomic.inc(out, 0, 9)
    cuda.atomic.dec(out, 1, 9)


def test_increments_wrap_around():
    out = np.zeros(2, np.uint32)
    wrapping[BLOCKS, THREADS](out)
    assert out.tolist() == [COUNT % 10, (10 - COUNT % 10) % 10]


@cuda.jit
def tickets(next_one, seen):
    ticket = cuda.atomic.add(next_one, 0, 1)
    seen[ticket] += 1
    while True:
        before = cuda.atomic.add(next_one, 1, 0)
        if cuda.atomic.cas(next_one, 1, before, before + 2) == before:
            break


def test_each_result_is_given_once():
    next_one, seen = np.zeros(2, np.int32), np.zeros(COUNT, np.int32)
    tickets[BLOCKS, THREADS](next_one, seen)
    assert next_one.tolist() == [COUNT, 2 * COUNT]
    assert (seen == 1).all()


@cuda.jit
def exchanged(place, seen):
    old = cuda.atomic.exch(place, 0, cuda.grid(1) + 1)
    seen[old] += 1


def test_exchanges_form_a_chain():
    place, seen = np.zeros(1, np.int32), np.zeros(COUNT + 1, np.int32)
    exchanged[BLOCKS, THREADS](place, seen)
    assert seen.sum() == COUNT and seen[place[0]] == 0 and seen.max() == 1


@cuda.jit
def histogram(x, counts):
    own = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if t < 64:
        own[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(own, x[cuda.grid(1)], 1)
    cuda.syncthreads()
    if t < 64:
        cuda.atomic.add(counts, t, own[t])


def test_shared_memory():
    x = np.random.default_rng(3).integers(0, 64, COUNT).astype(np.int32)
    counts = np.zeros(64, np.int32)
    histogram[BLOCKS, THREADS](x, counts)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=64))


@cuda.jit
def spread(out):
    cuda.atomic.add(out, (cuda.blockIdx.x % 4, cuda.threadIdx.x % 8), float32(0.5))


def test_places_of_two_axes():
    out = np.zeros((4, 8), np.float32)
    spread[BLOCKS, THREADS](out)
    assert (out == COUNT / 64).all()
