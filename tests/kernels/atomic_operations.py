# All atomic operations except add: final and old values, on one element and on many, in global and shared memory.
import numpy as np
from treadle import cuda, int64, uint32

from kernels.harness import launch

INTEGERS = (np.int32, np.uint32, np.int64, np.uint64)
NUMBERS = (*INTEGERS, np.float32, np.float64)


@cuda.jit
def update(sub, low, high, bits_and, bits_or, bits_xor, values):
    i = cuda.grid(1)
    if i < values.size:
        v = values[i]
        cuda.atomic.sub(sub, i % 3, v)
        cuda.atomic.min(low, (0, i % 3), v)
        cuda.atomic.max(high, -1, v)  # CHECK-PTX: atom.global.max.s32
        cuda.atomic.and_(bits_and, 0, v)  # CHECK-PTX: atom.global.and.b32
        cuda.atomic.or_(bits_or, i % 3, v)
        cuda.atomic.xor(bits_xor, 0, v)


@cuda.jit
def extremes(low, high, nan_low, nan_high, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.min(low, i % 2, values[i])
        cuda.atomic.max(high, i % 2, values[i])
        cuda.atomic.nanmin(nan_low, 0, values[i])
        cuda.atomic.nanmax(nan_high, 0, values[i])


@cuda.jit
def take_turns(up, down, seen_up, seen_down):
    i = cuda.grid(1)
    seen_up[i] = cuda.atomic.inc(up, 0, 9)
    seen_down[i] = cuda.atomic.dec(down, 0, 6)
    if i % 2 == 0:
        cuda.atomic.inc(up, 1, 99)


@cuda.jit
def exchange(place, seen):
    i = cuda.grid(1)
    seen[i] = cuda.atomic.exch(place, 0, i)


@cuda.jit
def claim(owner, first, won):
    i = cuda.grid(1)
    if cuda.atomic.cas(owner, (i % 5, 1), -1, i) == -1:
        won[i] = 1
    if i > 40 and cuda.atomic.compare_and_swap(first, 7, i) == 7:
        won[i] += 2


@cuda.jit
def in_shared_memory(values, out):
    best = cuda.shared.array(2, int64)
    i = cuda.threadIdx.x
    if i < 2:
        best[i] = 1000 if i else -1000
    cuda.syncthreads()
    cuda.atomic.max(best, 0, values[i])
    before = cuda.atomic.min(best, 1, values[i])
    cuda.syncthreads()
    out[i] = before >= best[1]
    if i < 2:
        out[i] += 10 * best[i]


@cuda.jit
def subtract(left, values):
    # The hardware cannot subtract floats: the negated value is added.
    # CHECK-PTX-LABEL: .entry {{.*}}subtract
    # CHECK-PTX-NOT: atom.{{.*}}cas
    # CHECK-PTX: atom.global.add.f
    # CHECK-PTX: ret
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.sub(left, i % 2, values[i])


@cuda.jit
def wrapped_in_shared_memory(out):
    # The indices are contiguous, but the lower half of the warp accesses the upper half's elements.
    counters = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    if t < 16:
        counters[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(counters, t - 16, 1)
    cuda.syncthreads()
    if t < 16:
        out[t] = counters[t]


@cuda.jit
def turns_in_shared_memory(seen_up, seen_down, last):
    counters = cuda.shared.array(4, uint32)
    i = cuda.threadIdx.x
    if i < 4:
        counters[i] = 50 if i == 3 else 0
    cuda.syncthreads()
    seen_up[i] = cuda.atomic.inc(counters, 0, 9)
    seen_down[i] = cuda.atomic.dec(counters, 1, 6)
    if cuda.atomic.cas(counters, 2, 0, i + 1) == 0:
        cuda.atomic.exch(counters, 3, i)
    cuda.syncthreads()
    if i < 4:
        last[i] = counters[i]


PTX = [(update, f"({', '.join(f'{t}[{s}]' for s in ('::1', ':, ::1', '::1', '::1', '::1', '::1', '::1'))})")
       for t in ("int32", "uint32", "int64", "uint64")]  # fmt: skip
PTX += [(subtract, f"({t}[::1], {t}[::1])") for t in ("float32", "float64")]
PTX += [(extremes, "(" + ", ".join([f"{t}[::1]"] * 5) + ")") for t in ("int32", "uint64", "float32", "float64")]
PTX += [(take_turns, f"({t}[::1], {t}[::1], {t}[::1], {t}[::1])") for t in ("uint32", "uint64")]
PTX += [(exchange, "(int32[::1], int32[::1])"), (exchange, "(uint64[::1], uint64[::1])")]
PTX += [(claim, "(int64[:, ::1], int32[::1], int64[::1])"), (in_shared_memory, "(int64[::1], int64[::1])")]
PTX += [(turns_in_shared_memory, "(int64[::1], int64[::1], int64[::1])"), (wrapped_in_shared_memory, "(int64[::1],)")]


def check_updates(dtype):
    values = np.random.default_rng(3).integers(0, 100, 150).astype(dtype)
    start = [np.full(3, 50, dtype), np.full((1, 3), 60, dtype), np.full(2, 40, dtype)]
    start += [np.full(1, 127, dtype), np.zeros(3, dtype), np.full(1, 5, dtype)]
    sub, low, high, bits_and, bits_or, bits_xor, _ = launch(update, 2, 96, *start, values)
    parts = [values[k::3] for k in range(3)]
    with np.errstate(over="ignore"):
        assert sub.tolist() == [dtype(50) - p.sum(dtype=dtype) for p in parts]
    assert low.tolist() == [[min(60, p.min()) for p in parts]]
    assert high.tolist() == [40, max(40, values.max())]
    assert bits_and[0] == np.bitwise_and.reduce(values) & 127
    assert bits_or.tolist() == [np.bitwise_or.reduce(p) for p in parts]
    assert bits_xor[0] == np.bitwise_xor.reduce(values) ^ 5


def check_extremes(dtype):
    values = np.random.default_rng(4).permutation(200).astype(dtype)
    missing = np.issubdtype(dtype, np.floating)
    start = [np.full(2, 90, dtype), np.full(2, 90, dtype), np.full(1, 90, dtype), np.full(1, 90, dtype)]
    if missing:
        values[[0, 7, 150]] = np.nan
        start[0][1] = start[1][1] = start[2][0] = np.nan
    low, high, nan_low, nan_high, _ = launch(extremes, 3, 96, *start, values)
    even, odd = values[::2], values[1::2]
    assert (low[0], high[0]) == (np.fmin(np.fmin.reduce(even), 90), np.fmax(np.fmax.reduce(even), 90))
    if missing:
        assert np.isnan(low[1])
        assert np.isnan(high[1])
    else:
        assert (low[1], high[1]) == (min(odd.min(), 90), max(odd.max(), 90))
    assert (nan_low[0], nan_high[0]) == (np.fmin.reduce(values), np.fmax.reduce(values))


@cuda.jit
def of_narrow_numbers(values, out):
    """Counts and sums by numbers of 8 and 16 bits, which may be negative."""
    counts = cuda.shared.array(256, int64)
    t = cuda.threadIdx.x
    for k in range(t, 256, 64):
        counts[k] = 0
    cuda.syncthreads()
    cuda.atomic.add(counts, values[t], 1)
    cuda.atomic.add(counts, 7, values[t])
    cuda.atomic.sub(counts, t & 3, values[t])
    cuda.syncthreads()
    for k in range(t, 256, 64):
        out[k] = counts[k]


def check_narrow_numbers():
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        limits = np.iinfo(dtype)
        values = np.random.default_rng(6).integers(max(limits.min, -128), min(limits.max, 255) + 1, 64).astype(dtype)
        wide = values.astype(np.int64)
        (_, out) = launch(of_narrow_numbers, 1, 64, values, np.zeros(256, np.int64))
        expected = np.bincount(wide % 256, minlength=256)
        expected[7] += wide.sum()
        expected[:4] -= [wide[k::4].sum() for k in range(4)]
        assert np.array_equal(out, expected), dtype


def run():
    for dtype in (np.float32, np.float64):
        (left, _) = launch(subtract, 2, 32, np.array([100, 200], dtype), np.arange(50).astype(dtype))
        assert left.tolist() == [100 - 600, 200 - 625]
    (out,) = launch(wrapped_in_shared_memory, 1, 32, np.zeros(16, np.int64))
    assert out.tolist() == [2] * 16
    for dtype in INTEGERS:
        check_updates(dtype)
    for dtype in NUMBERS:
        check_extremes(dtype)
    for dtype in (np.uint32, np.uint64):
        zeros = np.zeros(2, dtype), np.zeros(1, dtype), np.zeros(70, dtype), np.zeros(70, dtype)
        up, down, seen_up, seen_down = launch(take_turns, 2, 35, *zeros)
        assert up.tolist() == [0, 35]
        assert down[0] == 0
        assert sorted(seen_up) == sorted([*range(10)] * 7)
        assert sorted(seen_down) == sorted([*range(7)] * 10)
    for dtype in INTEGERS:
        place, seen = launch(exchange, 3, 33, np.array([200], dtype), np.zeros(99, dtype))
        assert sorted([*seen, *place]) == [*range(99), 200]
    check_narrow_numbers()
    owner, first, won = launch(claim, 2, 50, np.full((5, 2), -1), np.array([7], np.int32), np.zeros(100, np.int64))
    assert owner[:, 0].tolist() == [-1] * 5
    assert sorted(owner[:, 1]) == sorted(np.flatnonzero(won & 1))
    assert [*first] == [*np.flatnonzero(won & 2)]
    assert first[0] > 40
    values = np.random.default_rng(5).integers(-500, 500, 64)
    _, out = launch(in_shared_memory, 1, 64, values, np.zeros(64, np.int64))
    assert out[0] == 1 + 10 * values.max()
    assert out[1] == 1 + 10 * values.min()
    assert out[2:].tolist() == [1] * 62
    turns = np.zeros(70, np.int64), np.zeros(70, np.int64), np.zeros(4, np.int64)
    seen_up, seen_down, last = launch(turns_in_shared_memory, 1, 70, *turns)
    assert sorted(seen_up) == sorted([*range(10)] * 7)
    assert sorted(seen_down) == sorted([*range(7)] * 10)
    assert (last[0], last[1]) == (0, 0)
    assert last[2] == last[3] + 1
