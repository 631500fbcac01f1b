"""Hand-written barriers: in conditions, in functions, with values live across them, patterns of real code."""

from dataclasses import replace

from cooperation import kernels_cases, kernels_exchange, kernels_waiting, kernels_warp
from cooperation.kernels_cases import HEAD, TAIL, Case

SHAPES = ((2, 33, 3), (1, (5, 7, 3), 2), (2, 64, 3))
GRIDS = ((3, 33, 3), (2, 64, 2), (1, 31, 3))
SHARED = "sh = cuda.shared.array(1024, int64)\nsh[tid] = x\ncuda.syncthreads()\n"

KERNELS = {
    "producer_and_consumer_arms": """
if lane > 15:
    sh[tid] = x * 3
    cuda.syncthreads()
    r = 1
else:
    cuda.syncthreads()
    r = sh[min(tid + 16, size - 1)] + 2
""",
    "producer_and_consumer_warps": """
if warp == 0:
    for k in range(3):
        sh[tid] = x * 3 + k
        cuda.syncthreads()
        cuda.syncthreads()
else:
    for k in range(3):
        cuda.syncthreads()
        r = (r * 5 + sh[(tid * 7 + k) % 32]) & 0xFFFFF
        cuda.syncthreads()
""",
    "arms_of_different_shape": """
if x % 2 == 0:
    for k in range(4):
        sh[tid] = x + k + r
        cuda.syncthreads()
        r = (r * 3 + sh[size - 1 - tid]) & 0xFFFFF
        cuda.syncthreads()
else:
    r = exchange_twice(sh, tid, size, x)
    r += exchange_twice(sh, tid, size, x + r)
""",
    "count_in_condition": """
while cuda.syncthreads_count(r < x % 6) > size // 3:
    r += 1
""",
    "or_in_condition": """
left = x % 7
while cuda.syncthreads_or(left > 0):
    left -= 1
    r += 1
""",
    "and_in_if": """
if cuda.syncthreads_and(x < 1023):
    r = 5
else:
    r = 6
r += cuda.syncthreads_and(tid < 40) + cuda.syncthreads_or(tid == 32) * 3
""",
    "count_of_those_that_stay": """
if x % 4 == 0:
    return
r = cuda.syncthreads_count(x % 4 == 1)
if x % 4 == 1:
    out[i] = r
    return
r += cuda.syncthreads_count(True) * 1000
""",
    "count_meets_count_elsewhere": """
if x % 2 == 0:
    r = cuda.syncthreads_count(x % 3 == 0)
else:
    r = cuda.syncthreads_count(x % 5 == 0) + 1000
    if x % 4 == 1:
        r += cuda.syncthreads_count(x % 8 == 1) * 3
""",
    "count_in_expression": """
r = x + cuda.syncthreads_count(x > 300) * (1 + cuda.syncthreads_count(x > 600)) + cuda.syncthreads_count(n > 2)
""",
    "call_in_conditional_expression": """
r = exchange_twice(sh, tid, size, x) if x % 2 == 0 else exchange_twice(sh, tid, size, x + 5) * 3
r += 7 if tid % 3 == 0 else exchange_twice(sh, tid, size, x + 9)
""",
    "call_behind_and": """
if x % 2 == 0 and exchange_twice(sh, tid, size, x) % 2 == 0:
    r = 3
elif x % 3 == 0 or exchange_twice(sh, tid, size, x + 1) % 3 == 1:
    r = 5
""",
    "call_in_arguments": """
r = exchange_twice(sh, tid, size, exchange_twice(sh, tid, size, x) % 1000 + exchange_twice(sh, tid, size, tid))
""",
    "call_in_loop_bound": """
for k in range(exchange_twice(sh, tid, size, x) % 4):
    r = (r * 3 + exchange_twice(sh, tid, size, x + k)) & 0xFFFFF
""",
    "barrier_in_else_of_loop": """
for k in range(4):
    if k == x % 6:
        break
    r += 1
else:
    r += exchange_twice(sh, tid, size, x)
r += exchange_twice(sh, tid, size, r)
""",
    "functions_deep": """
if x % 3 != 0:
    r = outer(sh, tid, size, x, x % 4)
else:
    r = outer(sh, tid, size, x, 1) + exchange_twice(sh, tid, size, x)
""",
    "returns_of_a_function": """
r = many_returns(sh, tid, size, x)
r = (r * 3 + many_returns(sh, tid, size, x + r)) & 0xFFFFF
""",
    "returns_deep_in_loops": """
for j in range(3):
    for k in range(3):
        if (x + j * 3 + k) % 11 == 5:
            out[i] = r + 100000
            return
        sh[tid] = x + r
        cuda.syncthreads()
        r = (r * 3 + sh[(tid + k + 1) % size]) & 0xFFFF
        cuda.syncthreads()
        if (x + j) % 5 == 4:
            break
""",
    "endless_loop_left_by_return": """
k = 0
while True:
    sh[tid] = x + k
    cuda.syncthreads()
    r = (r * 3 + sh[(tid + k + 1) % size]) & 0xFFFF
    cuda.syncthreads()
    k += 1
    if k == n + block:
        out[i] = r
        return
""",
    "endless_loop_left_apart": """
k = 0
while True:
    sh[tid] = x + r
    cuda.syncthreads()
    r = (r * 3 + sh[(tid + 1) % size]) & 0xFFFF
    cuda.syncthreads()
    k += 1
    if k > x % 4:
        out[i] = r
        return
""",
    "counter_assigned_in_a_region": """
k = 0
while k < n:
    sh[tid] = r
    cuda.syncthreads()
    r = r * 5 + sh[(tid + 1) % size] + (k := k + 1) & 0xFFFF
    cuda.syncthreads()
""",
    "atomic_in_a_loop_bound": """
counts = cuda.shared.array(1, int32)
if tid == 0:
    counts[0] = 0
cuda.syncthreads()
for k in range(cuda.atomic.add(counts, 0, 1) * 0 + 2):
    cuda.syncthreads()
    r += k
cuda.syncthreads()
r += counts[0]
""",
    "values_alive_across_barriers": """
a, b, c = int8(x), float32(x) * float32(0.5), x % 2 == 0
d, f, g = uint16(x * 70), float64(x) * 0.25, uint64(x) << uint64(50)
pair = (x * 3, b)
if x % 3 != 1:
    sh[tid] = x
    cuda.syncthreads()
    got = sh[size - 1 - tid]
    cuda.syncthreads()
    if c:
        b += float32(got)
    r = int64(a) + int64(b * float32(2.0)) + int64(d) + int64(f * 4.0) + int64(g >> uint64(45)) + got
r += pair[0] + int64(pair[1] * float32(2.0)) + (1000 if c else 2000)
""",
    "local_array_across_barriers": """
mine = cuda.local.array(4, int64)
for k in range(4):
    mine[k] = x + k
if x % 3 != 0:
    for k in range(4):
        sh[tid] = mine[k]
        cuda.syncthreads()
        mine[k] = sh[(tid + k + 1) % size]
        cuda.syncthreads()
r = mine[0] + mine[1] * 3 + mine[2] * 5 + mine[3] * 7
""",
    "tree_reduction": """
step = 1
while step < size:
    if tid % (2 * step) == 0 and tid + step < size:
        sh[tid] += sh[tid + step]
    cuda.syncthreads()
    step *= 2
r = sh[0]
""",
    "scan_with_barriers_in_if": """
step = 1
while step < size:
    if tid >= step:
        below = sh[tid - step]
        cuda.syncthreads()
        sh[tid] += below
        cuda.syncthreads()
    else:
        cuda.syncthreads()
        cuda.syncthreads()
    step *= 2
r = sh[tid]
""",
    "odd_even_sort": """
for k in range(size):
    left = tid * 2 + k % 2
    if left + 1 < size and sh[left] > sh[left + 1]:
        sh[left], sh[left + 1] = sh[left + 1], sh[left]
    cuda.syncthreads()
r = sh[tid]
""",
    "slots_by_atomic": """
slots = cuda.shared.array(1024, int64)
count = cuda.shared.array(1, int32)
if tid == 0:
    count[0] = 0
cuda.syncthreads()
if x % 3 != 0:
    slots[cuda.atomic.add(count, 0, 1)] = tid
cuda.syncthreads()
if tid < count[0]:
    sh[slots[tid]] += 5000
cuda.syncthreads()
r = sh[tid] * 100 + count[0]
""",
    "atomics_of_divergent_lanes": """
counts = cuda.shared.array(4, int32)
if tid < 4 or tid == size - 1:
    for k in range(4):
        counts[k] = 0
cuda.syncthreads()
for k in range(x % 4):
    cuda.atomic.add(counts, k, 1)
    if x % 8 == 3:
        continue
    cuda.atomic.sub(counts, -1, 2)
cuda.syncthreads()
r = counts[0] + counts[1] * 100 + counts[2] * 10000 + counts[3]
""",
    "last_block_adds_up": """
cuda.atomic.add(acc, (0, 0), x)
cuda.threadfence()
cuda.syncthreads()
last = cuda.shared.array(1, int32)
if tid == 0:
    last[0] = cuda.atomic.add(tot, (0, 1), 1) == cuda.gridDim.x - 1
cuda.syncthreads()
if last[0]:
    if tid == 0:
        tot[0, 2] = acc[0, 0] * 3
""",
}
DYNAMIC = {
    "dynamic_seen_under_two_types": """
words = cuda.shared.array(0, int32)
pairs = cuda.shared.array(0, int64)
words[tid] = x
words[tid + size] = x * 3
cuda.syncthreads()
if x % 3 != 0:
    r = pairs[tid]
    cuda.syncthreads()
    pairs[tid] = r * 2 + 1
cuda.syncthreads()
r = words[(tid * 2 + 1) % (2 * size)] + words.size * 3 + pairs.size
""",
    "dynamic_beside_static": """
some = cuda.shared.array(0, int32)
fixed = cuda.shared.array(1024, int32)
some[tid] = x
fixed[size - 1 - tid] = x * 2
if x % 2 == 0:
    cuda.syncthreads()
    r = some[size - 1 - tid] + fixed[tid]
else:
    cuda.syncthreads()
    r = some[(tid + 1) % size] * 3 + fixed[(tid + 2) % size]
""",
}
GRID = {
    "grid_sync_in_both_arms": """
acc[block, tid] = x
if x % 2 == 0:
    cuda.cg.this_grid().sync()
    r = acc[(block + 1) % cuda.gridDim.x, size - 1 - tid]
else:
    g = cuda.cg.this_grid()
    g.sync()
    r = acc[(block + 2) % cuda.gridDim.x, (tid + 1) % size] * 3
""",
    "grid_sync_between_kernels_of_barriers": """
for k in range(3):
    sh[tid] = x + r
    cuda.syncthreads()
    if tid == 0:
        total = 0
        for t in range(size):
            total += sh[t]
        acc[block, k] = total
    cuda.cg.this_grid().sync()
    for b in range(cuda.gridDim.x):
        r = (r * 3 + acc[b, k]) & 0xFFFFF
""",
    "grid_sync_without_blocks_that_exited": """
if block == 1:
    return
acc[block, tid] = x
cuda.cg.this_grid().sync()
r = acc[cuda.gridDim.x - 1 if cuda.gridDim.x != 2 else 0, size - 1 - tid]
""",
    "grid_sync_in_a_function": """
for k in range(n):
    r = (r * 5 + across(acc, block, tid, x + r)) & 0xFFFFF
""",
}
# Lanes wait at a barrier for others of their warp, which wait for them in a warp collective.
DEADLOCKS = {
    "barrier_against_syncwarp": """
if lane < 4:
    cuda.syncthreads()
cuda.syncwarp()
""",
    "barrier_in_loop_against_vote": """
for k in range(3):
    if cuda.all_sync(0xFFFFFFFF, x >= 0) and k == x % 3:
        exchange_twice(sh, tid, size, x)
""",
    "barrier_of_the_grid_against_shuffle": """
if lane == 5:
    cuda.cg.this_grid().sync()
r = cuda.shfl_xor_sync(0xFFFFFFFF, x, 1)
""",
}
FUNCTIONS = """
@cuda.jit(device=True)
def exchange_twice(sh, tid, size, value):
    sh[tid] = value
    cuda.syncthreads()
    got = sh[(tid + 1) % size]
    cuda.syncthreads()
    sh[tid] = got + value
    cuda.syncthreads()
    got = sh[size - 1 - tid]
    cuda.syncthreads()
    return got & 0xFFFFF

@cuda.jit(device=True)
def outer(sh, tid, size, value, trips):
    total = 0
    for k in range(trips):
        if value % 2 == 0:
            total += exchange_twice(sh, tid, size, value + k)
        else:
            total += many_returns(sh, tid, size, value + k)
    return total & 0xFFFFF

@cuda.jit(device=True)
def many_returns(sh, tid, size, value):
    if value % 5 == 0:
        return 1
    for k in range(3):
        sh[tid] = value + k
        cuda.syncthreads()
        got = sh[size - 1 - tid]
        cuda.syncthreads()
        if (got + value) % 3 == k:
            return got
    return value * 3

@cuda.jit(device=True)
def across(acc, block, tid, value):
    acc[block, tid] = value
    cuda.cg.this_grid().sync()
    got = acc[(block + 1) % cuda.gridDim.x, tid]
    cuda.cg.this_grid().sync()
    return got
"""
_PLAIN = kernels_exchange.Construct("by hand", "", cells=kernels_exchange.GRID_CELLS)


def _case(name, text, launches, what=_PLAIN, functions=FUNCTIONS):
    body = "".join(f"    {line}\n" for line in text.strip("\n").split("\n"))
    used = _functions_for(text, functions)
    return Case(name, used + HEAD.format(options="") + body + TAIL, [*launches], what)


def _functions_for(text, functions):
    """The functions that a kernel calls, directly or indirectly: the rest would only cost time."""
    parts = {f.split("def ")[1].split("(")[0]: f for f in functions.strip("\n").split("\n\n")}
    wanted, new = set(), {n for n in parts if n + "(" in text}
    while new:
        wanted |= new
        new = {n for n in parts if any(n + "(" in parts[w] for w in new)} - wanted
    return "\n" + "\n\n".join(parts[n] for n in parts if n in wanted) + "\n"


def _large_blocks():
    """Blocks of 1024 threads."""
    chosen = (
        ("syncthreads", "one_arm", "varying"), ("syncthreads_count", "for_loop", "warp"), ("shfl", "top", "grid"),
        ("device_barrier", "after_return", "affine"), ("dynamic_shared", "both_arms", "varying"),
        ("shared_atomic_used", "top", "grid"), ("ballot", "both_arms", "varying"), ("syncwarp", "for_loop", "varying"),
    )  # fmt: skip
    for number, (construct, position, kind) in enumerate(chosen):
        case = kernels_cases.make(construct, position, kind, number, True)
        yield replace(case, name=f"{construct}-{position}-{kind}-1024", launches=[(1, 1024, 3)])


def cases():
    by_warp, functions = kernels_warp.KERNELS, kernels_warp.FUNCTIONS
    found = [_case(name, text, shapes, functions=functions) for name, (text, shapes) in by_warp.items()]
    found += [_case(name, SHARED + text, SHAPES) for name, text in KERNELS.items()]
    dynamic = replace(_PLAIN, dynamic=8)
    found += [_case(name, text, SHAPES, dynamic) for name, text in DYNAMIC.items()]
    found += [_case(name, SHARED + text, GRIDS) for name, text in GRID.items()]
    return [*found, *_large_blocks()]


def deadlocks():
    return [_case(name, SHARED + text, ((2, 64, 3),)) for name, text in DEADLOCKS.items()]


def spinning_cases():
    launches, functions = ((2, 64, 3),), kernels_waiting.FUNCTIONS
    found = [
        _case(name, SHARED + text, launches, functions=functions) for name, text in kernels_waiting.KERNELS.items()
    ]
    return [replace(case, spin=True) for case in found]
