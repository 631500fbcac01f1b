"""Kernels whose threads wait for each other in loops, each with a run that asserts, in a child process of its own."""

import numpy as np
from treadle import cuda, int32, int64

CHUNK = 64


@cuda.jit
def lock_by_swap(mutex, total, turns, order):
    """A critical section for every thread, which tries the lock until it is free."""
    for _ in range(turns):
        waiting = True
        while waiting:
            if cuda.atomic.cas(mutex, 0, 0, 1) == 0:
                cuda.threadfence()
                order[total[0]] = cuda.grid(1)
                total[0] += 1
                cuda.threadfence()
                cuda.atomic.exch(mutex, 0, 0)
                waiting = False


@cuda.jit(device=True)
def lock(mutex):
    while cuda.atomic.compare_and_swap(mutex, 0, 1) != 0:
        pass
    cuda.threadfence()


@cuda.jit(device=True)
def unlock(mutex):
    cuda.threadfence()
    cuda.atomic.exch(mutex, 0, 0)


@cuda.jit
def lock_by_functions(mutex, total):
    """The lock is released after the loop: lanes of one warp must proceed one by one."""
    lock(mutex)
    total[0] += cuda.threadIdx.x
    total[1] = max(total[1], cuda.grid(1))
    unlock(mutex)


@cuda.jit
def lock_once_a_block(mutex, best, where, x):
    """The first thread of each block takes the lock for the block, to update two numbers that must stay consistent."""
    smallest = cuda.shared.array(1, int64)
    if cuda.threadIdx.x == 0:
        smallest[0] = x[cuda.blockIdx.x * cuda.blockDim.x]
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.min(smallest, 0, x[i])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            cuda.nanosleep(100)
        cuda.threadfence()
        if smallest[0] < best[0]:
            best[0] = smallest[0]
            where[0] = cuda.blockIdx.x
        cuda.threadfence()
        cuda.atomic.exch(mutex, 0, 0)


@cuda.jit
def lock_in_shared_memory(out):
    mutex = cuda.shared.array(1, int32)
    total = cuda.shared.array(1, int32)
    tid = cuda.threadIdx.x
    if tid == 0:
        mutex[0] = 0
        total[0] = 0
    cuda.syncthreads()
    done = False
    while not done:
        if cuda.atomic.cas(mutex, 0, 0, 1) == 0:
            total[0] += tid
            cuda.threadfence_block()
            cuda.atomic.exch(mutex, 0, 0)
            done = True
    cuda.syncthreads()
    if tid == 0:
        out[cuda.blockIdx.x] = total[0]


@cuda.jit
def ticket_lock(tickets, serving, total, order):
    """A ticket lock: threads are served in the order in which they arrived."""
    mine = cuda.atomic.add(tickets, 0, 1)
    served = False
    while not served:
        if cuda.atomic.add(serving, 0, 0) == mine:
            order[mine] = total[0]
            total[0] += 1
            cuda.threadfence()
            cuda.atomic.add(serving, 0, 1)
            served = True


@cuda.jit
def lock_for_each_bucket(locks, heads, following, keys):
    """A linked list per bucket, under the bucket's own lock."""
    i = cuda.grid(1)
    if i < keys.size:
        bucket = keys[i] % heads.size
        waiting = True
        while waiting:
            if cuda.atomic.cas(locks, bucket, 0, 1) == 0:
                following[i] = heads[bucket]
                heads[bucket] = i
                cuda.threadfence()
                cuda.atomic.exch(locks, bucket, 0)
                waiting = False


@cuda.jit(device=True)
def grid_barrier(arrived, goal):
    cuda.threadfence()
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(arrived, 0, 1)
        while cuda.atomic.add(arrived, 0, 0) < goal:
            pass
    cuda.syncthreads()


@cuda.jit
def rotate(values, other, arrived, rounds):
    """Every thread takes its right neighbour's value, repeatedly; a counter that only grows is the barrier."""
    i = cuda.grid(1)
    for r in range(rounds):
        if i < values.size:
            other[i] = values[(i + 1) % values.size] + 1
        grid_barrier(arrived, (r + 1) * cuda.gridDim.x)
        values, other = other, values


@cuda.jit
def wait_for_flag(flag, data, out):
    """The last block writes; all others wait for it."""
    if cuda.blockIdx.x == cuda.gridDim.x - 1:
        data[cuda.threadIdx.x] = cuda.threadIdx.x * 7
        cuda.threadfence()
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            cuda.atomic.exch(flag, 0, 1)
    else:
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(flag, 0, 1, 1) != 1:
                pass
        cuda.syncthreads()
        cuda.threadfence()
        out[cuda.grid(1)] = data[cuda.threadIdx.x]


@cuda.jit
def chained_scan(x, out, ticket, flags, sums):
    """A single-pass scan: each block waits for the sum of all before it; blocks are numbered as they start."""
    values = cuda.shared.array(CHUNK, int64)
    block = cuda.shared.array(1, int32)
    before = cuda.shared.array(1, int64)
    tid = cuda.threadIdx.x
    if tid == 0:
        block[0] = cuda.atomic.add(ticket, 0, 1)
    cuda.syncthreads()
    i = block[0] * CHUNK + tid
    values[tid] = x[i] if i < x.size else 0
    cuda.syncthreads()
    distance = 1
    while distance < CHUNK:
        left = values[tid - distance] if tid >= distance else 0
        cuda.syncthreads()
        values[tid] += left
        cuda.syncthreads()
        distance *= 2
    if tid == 0:
        start = 0
        if block[0] > 0:
            while cuda.atomic.add(flags, block[0] - 1, 0) == 0:
                pass
            start = cuda.atomic.add(sums, block[0] - 1, 0)
        cuda.atomic.exch(sums, block[0], start + values[CHUNK - 1])
        cuda.threadfence()
        cuda.atomic.exch(flags, block[0], 1)
        before[0] = start
    cuda.syncthreads()
    if i < out.size:
        out[i] = before[0] + values[tid]


@cuda.jit
def hand_over_between_warps(x, out):
    """One warp passes numbers to another, one at a time, through a mailbox in shared memory, without barriers."""
    mailbox = cuda.shared.array(1, int64)
    full = cuda.shared.array(1, int32)
    tid = cuda.threadIdx.x
    if tid == 0:
        full[0] = 0
    cuda.syncthreads()
    if tid == 0:
        for k in range(x.size):
            while cuda.atomic.add(full, 0, 0) == 1:
                pass
            mailbox[0] = x[k]
            cuda.threadfence_block()
            cuda.atomic.exch(full, 0, 1)
    elif tid == 32:
        for k in range(x.size):
            while cuda.atomic.add(full, 0, 0) == 0:
                pass
            cuda.threadfence_block()
            out[k] = mailbox[0]
            cuda.atomic.exch(full, 0, 0)


COUNTERS = "int32[::1], int32[::1]"
PTX = [
    (lock_by_swap, f"({COUNTERS}, int64, int64[::1])"),
    (lock_by_functions, "(int32[::1], int64[::1])"),
    (lock_once_a_block, "(int32[::1], int64[::1], int32[::1], int64[::1])"),
    (lock_in_shared_memory, "(int32[::1],)"),
    (ticket_lock, f"({COUNTERS}, {COUNTERS})"),
    (lock_for_each_bucket, f"({COUNTERS}, {COUNTERS})"),
    (rotate, "(int64[::1], int64[::1], int32[::1], int64)"),
    (wait_for_flag, "(int32[::1], int64[::1], int64[::1])"),
    (chained_scan, f"(int64[::1], int64[::1], {COUNTERS}, int64[::1])"),
    (hand_over_between_warps, "(int64[::1], int64[::1])"),
]


def counter():
    return np.zeros(1, np.int32)


def run_lock_by_swap():
    for blocks, threads, turns in ((1, 1, 3), (1, 32, 2), (1, 100, 1), (6, 50, 2)):
        total, order = counter(), np.full(blocks * threads * turns, -1)
        lock_by_swap[blocks, threads](counter(), total, turns, order)
        assert total[0] == blocks * threads * turns
        assert sorted(order) == sorted([*range(blocks * threads)] * turns)


def run_lock_by_functions():
    for blocks, threads in ((1, 1), (1, 32), (1, 96), (5, 33)):
        total = np.zeros(2, np.int64)
        lock_by_functions[blocks, threads](counter(), total)
        assert total.tolist() == [blocks * threads * (threads - 1) // 2, blocks * threads - 1]


def run_lock_once_a_block():
    for blocks, threads in ((1, 32), (7, 64), (40, 50)):
        x = np.random.default_rng(blocks).permutation(blocks * threads - 5)
        best, where = np.full(1, 1 << 40), counter()
        lock_once_a_block[blocks, threads](counter(), best, where, x)
        assert best[0] == 0
        assert where[0] == np.argmin(x) // threads


def run_lock_in_shared_memory():
    for blocks, threads in ((1, 32), (3, 40), (4, 256)):
        out = np.zeros(blocks, np.int32)
        lock_in_shared_memory[blocks, threads](out)
        assert out.tolist() == [threads * (threads - 1) // 2] * blocks


def run_ticket_lock():
    for blocks, threads in ((1, 32), (2, 64), (4, 30)):
        total, order = counter(), np.full(blocks * threads, -1, np.int32)
        ticket_lock[blocks, threads](counter(), counter(), total, order)
        assert order.tolist() == list(range(blocks * threads))


def run_lock_for_each_bucket():
    for buckets in (1, 7, 100):
        keys = np.random.default_rng(buckets).integers(0, 10_000, 300).astype(np.int32)
        heads, following = np.full(buckets, -1, np.int32), np.full(keys.size, -1, np.int32)
        lock_for_each_bucket[5, 64](np.zeros(buckets, np.int32), heads, following, keys)
        for bucket in range(buckets):
            found, i = [], heads[bucket]
            while i >= 0:
                found.append(i)
                i = following[i]
            assert sorted(found) == np.flatnonzero(keys % buckets == bucket).tolist()


def run_grid_barrier():
    for blocks, threads, rounds in ((1, 32, 5), (4, 64, 20), (8, 40, 7)):
        values = np.arange(blocks * threads - 3) ** 2
        found, other = values.copy(), np.zeros_like(values)
        rotate[blocks, threads](found, other, counter(), rounds)
        np.testing.assert_array_equal(other if rounds % 2 else found, np.roll(values, -rounds) + rounds)


def run_flag_between_blocks():
    for blocks, threads in ((2, 32), (5, 100), (16, 64)):
        out = np.full(blocks * threads, -1)
        wait_for_flag[blocks, threads](counter(), np.zeros(threads, np.int64), out)
        expected = np.append(np.tile(np.arange(threads) * 7, blocks - 1), [-1] * threads)
        np.testing.assert_array_equal(out, expected)


def run_chained_scan():
    for size in (1, 64, 65, 1000, 4001):
        x = np.random.default_rng(size).integers(-50, 50, size)
        blocks = -(-size // CHUNK)
        out = np.zeros_like(x)
        flags, sums = np.zeros(blocks, np.int32), np.zeros(blocks, np.int64)
        chained_scan[blocks, CHUNK](x, out, counter(), flags, sums)
        np.testing.assert_array_equal(out, np.cumsum(x))


def run_hand_over_between_warps():
    x = np.random.default_rng(1).integers(0, 1000, 50)
    out = np.zeros_like(x)
    hand_over_between_warps[1, 64](x, out)
    np.testing.assert_array_equal(out, x)


RUNS = {name.removeprefix("run_"): run for name, run in globals().items() if name.startswith("run_")}
