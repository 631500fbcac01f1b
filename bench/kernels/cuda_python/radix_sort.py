# A radix sort in CUDA Python: eight passes over four bits each, of a count, a scan and a scatter.
import numpy as np
from treadle import cuda, int32

BLOCK = 256
BITS = 4
DIGITS = 16
ITEMS = 16
TILE = 4096
SEGMENT = 16


@cuda.jit
def count_digits(keys, counts, shift):
    own = cuda.shared.array(DIGITS, int32)
    thread = cuda.threadIdx.x
    if thread < DIGITS:
        own[thread] = 0
    cuda.syncthreads()
    for k in range(ITEMS):
        i = cuda.blockIdx.x * TILE + k * BLOCK + thread
        if i < keys.size:
            cuda.atomic.add(own, (keys[i] >> shift) & (DIGITS - 1), 1)
    cuda.syncthreads()
    if thread < DIGITS:
        counts[thread * cuda.gridDim.x + cuda.blockIdx.x] = own[thread]


@cuda.jit
def scan_counts(counts, starts, sums):
    totals = cuda.shared.array(BLOCK, int32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    own = counts[i] if i < counts.size else int32(0)
    totals[thread] = own
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        below = totals[thread - step] if thread >= step else int32(0)
        cuda.syncthreads()
        totals[thread] += below
        cuda.syncthreads()
        step *= 2
    if i < counts.size:
        starts[i] = totals[thread] - own
    if thread == BLOCK - 1:
        sums[cuda.blockIdx.x] = totals[thread]


@cuda.jit
def add_starts(starts, sums):
    i = cuda.grid(1)
    if i < starts.size:
        starts[i] += sums[cuda.blockIdx.x]


@cuda.jit
def scatter(keys, out, starts, shift):
    # The number of keys per digit of each thread, then the position of its next key.
    own = cuda.shared.array((DIGITS, BLOCK), int32)
    totals = cuda.shared.array((DIGITS, SEGMENT), int32)
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * TILE + thread * ITEMS
    for digit in range(DIGITS):
        own[digit, thread] = 0
    for k in range(ITEMS):
        if first + k < keys.size:
            own[(keys[first + k] >> shift) & (DIGITS - 1), thread] += 1
    cuda.syncthreads()
    row = thread // SEGMENT
    segment = thread % SEGMENT
    total = int32(0)
    for k in range(SEGMENT):
        count = own[row, segment * SEGMENT + k]
        own[row, segment * SEGMENT + k] = total
        total = int32(total + count)
    totals[row, segment] = total
    cuda.syncthreads()
    before = starts[row * cuda.gridDim.x + cuda.blockIdx.x]
    for k in range(segment):
        before = int32(before + totals[row, k])
    for k in range(SEGMENT):
        own[row, segment * SEGMENT + k] += before
    cuda.syncthreads()
    for k in range(ITEMS):
        if first + k < keys.size:
            key = keys[first + k]
            digit = (key >> shift) & (DIGITS - 1)
            out[own[digit, thread]] = key
            own[digit, thread] += 1


def scan_all(counts, starts):
    blocks = (counts.size + BLOCK - 1) // BLOCK
    sums = np.empty(blocks, np.int32)
    scan_counts[blocks, BLOCK](counts, starts, sums)
    if blocks > 1:
        before = np.empty(blocks, np.int32)
        scan_all(sums, before)
        add_starts[blocks, BLOCK](starts, before)


def radix_sort(keys, out, spare):
    blocks = (keys.size + TILE - 1) // TILE
    counts = np.empty(DIGITS * blocks, np.int32)
    starts = np.empty(DIGITS * blocks, np.int32)
    source = keys
    for number in range(32 // BITS):
        shift = np.int32(number * BITS)
        target = out if number % 2 else spare
        count_digits[blocks, BLOCK](source, counts, shift)
        scan_all(counts, starts)
        scatter[blocks, BLOCK](source, target, starts, shift)
        source = target
