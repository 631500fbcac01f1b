# Values at warp boundaries: bounds near 32, quotients by 16 and 32, joins of variables; accesses ordered by barriers.
import numpy as np
from treadle import cuda, int64


@cuda.jit
def votes(x, out):
    t = cuda.threadIdx.x
    v = x[t]
    out[t] = cuda.syncthreads_count(v > 300)


@cuda.jit(device=True)
def wipe(row, t):
    cuda.syncthreads()
    row[t] = 100
    cuda.syncthreads()
    return 1


@cuda.jit
def operands(x, out):
    row = cuda.shared.array(64, int64)
    t = cuda.threadIdx.x
    row[t] = x[t]
    out[t] = row[t] + wipe(row, t)


@cuda.jit
def operands_apart(x, out):
    row = cuda.shared.array(64, int64)
    t = cuda.threadIdx.x
    row[t] = x[t]
    if x[t] % 2 == 0:
        out[t] = row[t] + wipe(row, t)
    else:
        out[t] = row[t] * 2 + wipe(row, t)


@cuda.jit
def halves(x, out):
    t = cuda.threadIdx.x
    mask = 0xFFFF if t % 32 < 16 else 0xFFFF0000
    out[t] = cuda.match_any_sync(mask, x[t] % 2) & 0xFFFFFFFF


@cuda.jit
def quotients(x, out):
    t = cuda.threadIdx.x
    out[t] = (t >> 4) + (t // 16) * 10 + (t % 16) * 100 + (t & 15) * 10000 + (t >> 5) * 1000000
    out[t] += (t // 32) * 10**7 + (t % 32) * 10**8 + (t & 31) * 10**10 + (t // 64) * 10**12


@cuda.jit
def edges(x, out):
    t = cuda.threadIdx.x
    r = 0
    if t < 33:
        r += 1
    if t <= 30:
        r += 2
    if t > 30:
        r += 4
    if t >= 31:
        r += 8
    if t <= 32:
        r += 16
    if t < 32:
        r += 32
    if t <= 31:
        r += 64
    if t > 31:
        r += 128
    if t >= 32:
        r += 256
    out[t] = r


@cuda.jit
def joined(x, out):
    t = cuda.threadIdx.x
    i = t
    if x.size > 2:
        i = t + 5
    out[t] = i + (i // 32) * 1000


@cuda.jit
def guards(x, out):
    row = cuda.shared.array(64, int64)
    t = cuda.threadIdx.x
    row[t] = x[t]
    cuda.syncthreads()
    if t == 32:
        row[t] += 10000
    cuda.syncthreads()
    if t <= 32:
        row[t] += 20000
    cuda.syncthreads()
    if 33 > t:
        row[t] += 40000
    cuda.syncthreads()
    if t < 40 and x[t] > 500:
        row[t] += 80000
    cuda.syncthreads()
    if t < x.size - 70:
        row[t] += 1
    cuda.syncthreads()
    out[t] = row[t]


@cuda.jit
def guards_in_rows(x, out):
    row = cuda.shared.array(64, int64)
    t = cuda.threadIdx.x
    y = cuda.threadIdx.y
    row[y * 8 + t] = x[y * 8 + t]
    cuda.syncthreads()
    if t < 3:
        row[y * 8 + t] += 10000
    cuda.syncthreads()
    out[y * 8 + t] = row[y * 8 + t]


KERNELS = (votes, operands, operands_apart, halves, quotients, edges, joined, guards, guards_in_rows)
PTX = [(kernel, "(int64[::1], int64[::1])") for kernel in KERNELS]


def run():
    x = np.random.default_rng(1).integers(0, 1024, 64)
    t = np.arange(64)
    same = [
        sum(1 << j for j in range(32) if j // 16 == k % 32 // 16 and (x[k // 32 * 32 + j] ^ x[k]) % 2 == 0) for k in t
    ]
    expected = {
        votes: np.full(64, (x > 300).sum()),
        operands: x + 1,
        operands_apart: np.where(x % 2 == 0, x + 1, x * 2 + 1),
        halves: np.array(same),
        quotients: (t >> 4) * 11 + (t % 16) * 10100 + (t >> 5) * 11000000 + (t % 32) * 10100000000 + (t // 64) * 10**12,
        edges: (t < 33) * 1
        + (t <= 30) * 2
        + (t > 30) * 4
        + (t >= 31) * 8
        + (t <= 32) * 16
        + (t < 32) * 96
        + (t > 31) * 384,
        joined: (t + 5) + (t + 5) // 32 * 1000,
        guards: x + (t == 32) * 10000 + (t <= 32) * 20000 + (t < 33) * 40000 + ((t < 40) & (x > 500)) * 80000,
        guards_in_rows: x + (t % 8 < 3) * 10000,
    }
    for kernel, wanted in expected.items():
        out = np.zeros(64, np.int64)
        kernel[1, (8, 8) if kernel is guards_in_rows else 64](x, out)
        assert out.tolist() == wanted.tolist(), kernel.__name__
