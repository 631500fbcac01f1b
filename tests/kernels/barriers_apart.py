# In PTX a barrier that a warp reaches converged is `bar.sync`; where its threads may have diverged, `barrier.sync`,
# which counts threads one by one. After one barrier of the second kind, the warp may be diverged at all others. Each
# warp function and atomic operation is one instruction.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit(device=True)
def meet():
    cuda.syncthreads()


@cuda.jit
def together(x, out, n):
    # CHECK-PTX: .visible .entry together
    # CHECK-PTX-NOT: barrier.sync
    # CHECK-PTX: bar.sync
    # CHECK-PTX: bar.red.popc
    # CHECK-PTX-NOT: barrier.sync
    row = cuda.shared.array(64, np.int64)
    t = cuda.threadIdx.x
    for k in range(n):
        row[t] = x[t] + k
        cuda.syncthreads()
        if k % 2 == cuda.blockIdx.x:
            out[t] += row[(t + 1) % 64]
            meet()
    left = n
    while cuda.syncthreads_count(x[t] > left) > 32:
        left += 1
        cuda.syncthreads()
    out[t] += left


@cuda.jit
def apart(x, out, n):
    # CHECK-PTX: .visible .entry apart
    # CHECK-PTX-NOT: bar.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX: barrier.red.popc
    # CHECK-PTX-NOT: bar.sync
    row = cuda.shared.array(64, np.int64)
    t = cuda.threadIdx.x
    row[t] = x[t]
    if t % 2 == 0:
        meet()
        out[t] = row[t + 1]
    else:
        meet()
        out[t] = row[t - 1]
    for k in range(t % 3 + n):
        if cuda.syncthreads_count(k + t > 20) > 40:
            break
        out[t] += k


@cuda.jit
def leaves_apart(x, out, n):
    # CHECK-PTX: .visible .entry leaves_apart
    # CHECK-PTX-NOT: bar.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX-NOT: bar.sync
    t = cuda.threadIdx.x
    for k in range(n):
        if x[t] == k:
            break
        cuda.syncthreads()
        out[t] += 1
    # CHECK-PTX: ret


@cuda.jit
def returns_apart(x, out, n):
    # CHECK-PTX: .visible .entry returns_apart
    # CHECK-PTX-NOT: bar.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX-NOT: bar.sync
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()
        out[t] = 1
        return
    cuda.syncthreads()  # reached while others of the warp wait at the first one
    out[t] = 2
    # CHECK-PTX: ret


@cuda.jit
def tail_behind_an_arm(x, out, n):
    # CHECK-PTX: .visible .entry tail_behind_an_arm
    # CHECK-PTX-NOT: bar.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX-NOT: bar.sync
    t = cuda.threadIdx.x
    if x[t] % 2:
        cuda.syncthreads()
    cuda.syncthreads()
    out[t] = n
    # CHECK-PTX: ret


@cuda.jit(device=True)
def part(t):
    if t < 16:
        return 1
    cuda.syncthreads()  # the others are back in the kernel
    return 2


@cuda.jit
def function_left_apart(x, out, n):
    # CHECK-PTX: .visible .entry function_left_apart
    # CHECK-PTX-NOT: bar.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX: barrier.sync
    # CHECK-PTX-NOT: bar.sync
    t = cuda.threadIdx.x
    found = part(t)
    cuda.syncthreads()
    out[t] = found
    # CHECK-PTX: ret


@cuda.jit
def left_before(x, out, n):
    # CHECK-PTX: .visible .entry left_before
    # CHECK-PTX-NOT: barrier.sync
    # CHECK-PTX: bar.sync
    # CHECK-PTX-NOT: barrier.sync
    t = cuda.threadIdx.x
    if x[t] > n:
        return  # threads that have ended are counted at no barrier
    cuda.syncthreads()
    out[t] = n
    # CHECK-PTX: ret


@cuda.jit
def warps(x, out, n):
    # CHECK-PTX: .visible .entry warps
    # CHECK-PTX: shfl.sync.down.b32
    t = cuda.threadIdx.x
    value = np.int32(x[t])
    value += cuda.shfl_down_sync(0xFFFFFFFF, value, 16)
    # CHECK-PTX: atom.global.add.u64
    cuda.atomic.add(out, 0, value)


KERNELS = (
    together,
    apart,
    leaves_apart,
    returns_apart,
    tail_behind_an_arm,
    function_left_apart,
    left_before,
    warps,
)
PTX = [(kernel, "(int64[::1], int64[::1], int64)") for kernel in KERNELS]


def run():
    x = np.random.default_rng(5).integers(0, 40, 64)
    t = np.arange(64)
    out = launch(together, 1, 64, x, np.zeros(64, np.int64), 5)[1]
    left = next(left for left in range(5, 100) if (x > left).sum() <= 32)
    expected = sum(np.roll(x, -1) + k for k in (0, 2, 4)) + left
    assert out.tolist() == expected.tolist()
    out = launch(apart, 1, 64, x, np.zeros(64, np.int64), 4)[1]
    assert out.tolist() == in_step(x, t).tolist()
    out = launch(leaves_apart, 1, 64, x, np.zeros(64, np.int64), 30)[1]
    assert out.tolist() == np.minimum(x, 30).tolist()
    out = launch(returns_apart, 1, 64, x, np.zeros(64, np.int64), 0)[1]
    assert out.tolist() == [1] * 16 + [2] * 48
    out = launch(function_left_apart, 1, 64, x, np.zeros(64, np.int64), 0)[1]
    assert out.tolist() == [1] * 16 + [2] * 48
    out = launch(tail_behind_an_arm, 1, 64, x, np.zeros(64, np.int64), 3)[1]
    assert (out == 3).all()
    out = launch(left_before, 1, 64, x, np.zeros(64, np.int64), 20)[1]
    assert out.tolist() == np.where(x > 20, 0, 20).tolist()
    out = launch(warps, 1, 64, x, np.zeros(64, np.int64), 0)[1]
    assert out[0] == sum(x[i] + x[i + 16 if i % 32 < 16 else i] for i in range(64))


def in_step(x, t):
    out = np.where(t % 2 == 0, np.roll(x, -1), np.roll(x, 1))
    active = np.ones(64, bool)
    for k in range(6):
        active &= k < t % 3 + 4
        if ((k + t > 20) & active).sum() > 40:
            break
        out[active] += k
    return out
