# Radix sort of 32-bit keys, four bits a pass: count digits by blocks, scan the counts, move keys to their places.
import numpy as np
from treadle import cuda, int32

BITS = 4
DIGITS = 1 << BITS
WARPS = 4
THREADS = 32 * WARPS
ROUNDS = 8  # times 32 keys for each warp
CHUNK = 32 * ROUNDS * WARPS  # keys of a block
ALL_LANES = 0xFFFFFFFF


@cuda.jit
def count_digits(keys, shift, counts):
    """All blocks' counts of digit 0, then of digit 1, ...: summed up, they say where a block's digits have to go."""
    mine = cuda.shared.array(DIGITS, int32)
    thread = cuda.threadIdx.x
    if thread < DIGITS:
        mine[thread] = 0
    cuda.syncthreads()
    start = cuda.blockIdx.x * CHUNK
    for i in range(start + thread, min(start + CHUNK, keys.size), THREADS):
        cuda.atomic.add(mine, (keys[i] >> shift) & (DIGITS - 1), 1)
    cuda.syncthreads()
    if thread < DIGITS:
        counts[thread * cuda.gridDim.x + cuda.blockIdx.x] = mine[thread]


@cuda.jit
def scan(counts):
    """Replaces each count by the sum of all before it; one warp does it, 32 counts at a time."""
    lane = cuda.laneid
    before = 0
    for start in range(0, counts.size, 32):
        own = counts[start + lane] if start + lane < counts.size else 0
        total = own
        for distance in (1, 2, 4, 8, 16):
            left = cuda.shfl_up_sync(ALL_LANES, total, distance)
            if lane >= distance:
                total += left
        if start + lane < counts.size:
            counts[start + lane] = before + total - own
        before += cuda.shfl_sync(ALL_LANES, total, 31)


@cuda.jit(device=True)
def digit_and_peers(keys, i, shift):
    """The digit of key i, -1 past the last key, and the lanes of the warp that have the same."""
    digit = int32((keys[i] >> shift) & (DIGITS - 1)) if i < keys.size else int32(-1)
    return digit, cuda.match_any_sync(ALL_LANES, digit)


@cuda.jit
def move(keys, origins, shift, starts, sorted_keys, sorted_origins):
    """Keys of one digit keep their order: blocks, warps, rounds and lanes all come in the order of the keys."""
    places = cuda.shared.array((WARPS, DIGITS), int32)
    thread = cuda.threadIdx.x
    lane, warp = thread % 32, thread // 32
    first = cuda.blockIdx.x * CHUNK + warp * 32 * ROUNDS + lane
    if lane < DIGITS:
        places[warp, lane] = 0
    cuda.syncwarp()
    for i in range(first, first + 32 * ROUNDS, 32):
        digit, peers = digit_and_peers(keys, i, shift)
        if digit >= 0 and lane == cuda.ffs(peers) - 1:
            places[warp, digit] += cuda.popc(peers)
        cuda.syncwarp()
    cuda.syncthreads()
    if thread < DIGITS:  # counts of the warps become the places where each begins
        place = starts[thread * cuda.gridDim.x + cuda.blockIdx.x]
        for w in range(WARPS):
            places[w, thread], place = place, place + places[w, thread]
    cuda.syncthreads()
    for i in range(first, first + 32 * ROUNDS, 32):
        digit, peers = digit_and_peers(keys, i, shift)
        rank = cuda.popc(peers & ((1 << lane) - 1))
        if digit >= 0:
            place = places[warp, digit] + rank
            sorted_keys[place], sorted_origins[place] = keys[i], origins[i]
        cuda.syncwarp()
        if digit >= 0 and rank == 0:
            places[warp, digit] += cuda.popc(peers)
        cuda.syncwarp()


def sort(keys):
    """The uint32 keys in order, and where each came from: equal keys stay as they were."""
    blocks = (keys.size + CHUNK - 1) // CHUNK
    keys, origins = cuda.to_device(keys), cuda.to_device(np.arange(keys.size, dtype=np.int32))
    other_keys, other_origins = cuda.device_array_like(keys), cuda.device_array_like(origins)
    counts = cuda.device_array(DIGITS * blocks, np.int32)
    for shift in range(0, 32, BITS):
        count_digits[blocks, THREADS](keys, shift, counts)
        scan[1, 32](counts)
        move[blocks, THREADS](keys, origins, shift, counts, other_keys, other_origins)
        keys, other_keys, origins, other_origins = other_keys, keys, other_origins, origins
    return keys.copy_to_host(), origins.copy_to_host()


def sort_numpy(keys):
    origins = np.argsort(keys, kind="stable")
    return keys[origins], origins


def make_keys(size=1 << 20, seed=1):
    return np.random.default_rng(seed).integers(0, 1 << 32, size, dtype=np.uint32)


def main():
    keys = make_keys()
    agree = all(np.array_equal(found, expected) for found, expected in zip(sort(keys), sort_numpy(keys)))
    print(f"{keys.size} keys sorted in {32 // BITS} passes; {'the same as' if agree else 'NOT AS'} NumPy's stable sort")


if __name__ == "__main__":
    main()
