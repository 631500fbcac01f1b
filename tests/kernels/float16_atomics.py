# Atomic operations on float16: many threads on one element, elements that share a word, NaN, old values.
import numpy as np
from treadle import cuda, float16


@cuda.jit
def totals(x, out):
    """Neighbours in one word are changed by all threads at once."""
    i = cuda.grid(1)
    # CHECK-PTX: atom.global.add.noftz.f16
    cuda.atomic.add(out, i % 2, 1)
    cuda.atomic.sub(out, 2 + i % 3, x[i % 4])
    # Of no more bytes than the element has: its neighbour may be written without atomic operations.
    # CHECK-PTX-NOT: cas.b32
    # CHECK-PTX: atom.{{(global.)?}}cas.b16
    cuda.atomic.max(out, -1, x[i % 4])


@cuda.jit
def in_shared(out):
    part = cuda.shared.array(4, float16)
    tid = cuda.threadIdx.x
    if tid < 4:
        part[tid] = 0
    cuda.syncthreads()
    cuda.atomic.add(part, tid % 3, float16(0.5))
    # CHECK-PTX: atom.{{(shared.)?}}cas.b16
    cuda.atomic.min(part, 3, float16(-tid))
    cuda.syncthreads()
    if tid < 4:
        out[cuda.blockIdx.x, tid] = part[tid]


@cuda.jit
def extremes(x, out):
    i = cuda.grid(1)
    cuda.atomic.max(out, (0, 0), x[i])
    cuda.atomic.min(out, (0, 1), x[i])
    cuda.atomic.nanmax(out, (1, 0), x[i])
    cuda.atomic.nanmin(out, (1, 1), x[i])


@cuda.jit
def tickets(counter, seen):
    """Each old value is given to one thread."""
    mine = cuda.atomic.add(counter, 1, 1)
    seen[int(mine)] += 1


@cuda.jit
def anywhere(x, out, which):
    """Shared or global, as it is found when it runs."""
    part = cuda.shared.array(2, float16)
    if cuda.threadIdx.x == 0:
        part[0] = 0
        part[1] = 0
    cuda.syncthreads()
    target = part if which else out
    cuda.atomic.max(target, 1, x[cuda.threadIdx.x])
    cuda.syncthreads()
    if which and cuda.threadIdx.x == 0:
        out[0] = part[1]


HALF = "float16[::1]"
PTX = [
    (totals, f"({HALF}, {HALF})"),
    (in_shared, "(float16[:, ::1])"),
    (extremes, f"({HALF}, float16[:, ::1])"),
    (tickets, f"({HALF}, int32[::1])"),
    (anywhere, f"({HALF}, {HALF}, bool)"),
]
TARGETS = ("sm_75", "sm_80", "sm_90")


def run():
    x = np.array([1, 0.5, 2, 0.25], np.float16)
    out = np.zeros(7, np.float16)
    totals[8, 96](x, out)
    assert out[:2].tolist() == [384, 384]
    sums = [sum(float(x[i % 4]) for i in range(768) if i % 3 == k) for k in range(3)]
    assert out[2:].tolist() == [-sums[0], -sums[1], -sums[2], 0, 2]

    out = np.zeros((3, 4), np.float16)
    in_shared[3, 96](out)
    assert out.tolist() == [[16, 16, 16, -95]] * 3

    values = np.random.default_rng(4).normal(size=256).astype(np.float16)
    values[77] = np.nan
    out = np.array([[0, 0], [np.nan, np.nan]], np.float16)
    extremes[2, 128](values, out)
    assert out.tolist() == [[np.nanmax(values), np.nanmin(values)]] * 2
    out = np.array([[np.nan, np.nan], [9, -9]], np.float16)
    extremes[2, 128](values, out)
    assert np.isnan(out[0]).all() and out[1].tolist() == [9, -9]

    counter, seen = np.array([7, 0, 7], np.float16), np.zeros(1024, np.int32)
    tickets[16, 64](counter, seen)
    assert counter.tolist() == [7, 1024, 7] and (seen == 1).all()

    for which in (False, True):
        out = np.zeros(2, np.float16)
        anywhere[1, 128](values[:128] if which else values[128:], out, which)
        half = values[:128] if which else values[128:]
        assert out.tolist() == ([np.nanmax(half), 0] if which else [0, np.nanmax(half)])
