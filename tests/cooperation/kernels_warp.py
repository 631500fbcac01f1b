"""Hand-written warp collectives: lanes, widths, types, masks of groups, patterns of real code."""

from cooperation.kernels_exchange import NEXT_MEMBER

FULL_WARPS = ((2, 64, 3), (1, (8, 8), 2), (3, 32, 4))
ANY_WARPS = ((2, 33, 3), (1, (5, 7, 3), 2), (1, 1, 3))

# Whole warps: no lane reads a missing lane.
WHOLE = {
    "shfl_uniform_lane": """
for k in range(4):
    r = (r * 5 + cuda.shfl_sync(0xFFFFFFFF, x + k, k * 9) + cuda.shfl_sync(0xFFFFFFFF, x, n)) & 0xFFFFF
""",
    "shfl_varying_lane": """
r = cuda.shfl_sync(0xFFFFFFFF, x, x) * 3 + cuda.shfl_sync(0xFFFFFFFF, x, 31 - lane)
r += cuda.shfl_sync(0xFFFFFFFF, x, -1) + cuda.shfl_sync(0xFFFFFFFF, x, lane + 33) * 7
""",
    "shfl_of_uniform_value": """
r = cuda.shfl_sync(0xFFFFFFFF, n, x) + cuda.shfl_xor_sync(0xFFFFFFFF, block, 3) * 3
r += cuda.shfl_up_sync(0xFFFFFFFF, warp, 1) + cuda.shfl_down_sync(0xFFFFFFFF, tid, 2) * 5
""",
    "inclusive_scan": """
r = x
d = 1
while d < 32:
    below = cuda.shfl_up_sync(0xFFFFFFFF, r, d)
    if lane >= d:
        r += below
    d *= 2
""",
    "reduce_down": """
r = x
for step in range(5):
    r += cuda.shfl_down_sync(0xFFFFFFFF, r, 16 >> step)
r = cuda.shfl_sync(0xFFFFFFFF, r, 0) * 2 + lane
""",
    "butterfly": """
r = x
for step in range(5):
    r = max(r, cuda.shfl_xor_sync(0xFFFFFFFF, r, 1 << step)) + r % 3
""",
    "widths": """
r = cuda.shfl_sync(0xFFFFFFFF, x, 5, 8) + cuda.shfl_up_sync(0xFFFFFFFF, x, 3, 16) * 3
r += cuda.shfl_down_sync(0xFFFFFFFF, x, 2, 4) * 5 + cuda.shfl_xor_sync(0xFFFFFFFF, x, 12, 8) * 7
r += cuda.shfl_sync(0xFFFFFFFF, x, x, 2) * 11 + cuda.shfl_down_sync(0xFFFFFFFF, x, 1, 1) * 13
""",
    "width_at_run_time": """
width = 1
while width <= 32:
    r = (r * 3 + cuda.shfl_sync(0xFFFFFFFF, x, x, width) + cuda.shfl_up_sync(0xFFFFFFFF, x, x % 5, width)) & 0xFFFFF
    r = (r * 3 + cuda.shfl_down_sync(0xFFFFFFFF, x, x % 7, width)) & 0xFFFFF
    r = (r * 3 + cuda.shfl_xor_sync(0xFFFFFFFF, x, x % 32, width)) & 0xFFFFF
    width *= 2
""",
    "deltas_beyond_the_warp": """
r = cuda.shfl_up_sync(0xFFFFFFFF, x, 31) + cuda.shfl_down_sync(0xFFFFFFFF, x, 31) * 3
r += cuda.shfl_up_sync(0xFFFFFFFF, x, 0) * 5 + cuda.shfl_xor_sync(0xFFFFFFFF, x, 31) * 7
r += cuda.shfl_down_sync(0xFFFFFFFF, x, x % 32) * 11 + cuda.shfl_up_sync(0xFFFFFFFF, x, x % 32) * 13
""",
    "shfl_types": """
a = cuda.shfl_sync(0xFFFFFFFF, int32(x), 31 - lane)
b = cuda.shfl_xor_sync(0xFFFFFFFF, uint64(x) << uint64(40), 5)
c = cuda.shfl_up_sync(0xFFFFFFFF, float32(x) * float32(0.5), 3)
d = cuda.shfl_down_sync(0xFFFFFFFF, float64(x) * 0.25, 4)
f = cuda.shfl_sync(0xFFFFFFFF, uint32(x * 4000000), (lane + 7) % 32)
r = int64(a) + int64(b >> uint64(38)) + int64(c * float32(2.0)) * 3 + int64(d * 4.0) * 5 + int64(f)
""",
    "both_arms_read_each_other": """
if lane < 16:
    r = cuda.shfl_sync(0xFFFFFFFF, x, lane + 16)
else:
    r = cuda.shfl_sync(0xFFFFFFFF, x * 3, lane - 16) + 1
""",
    "varying_arms_read_each_other": """
if x % 3 == 0:
    r = cuda.shfl_xor_sync(0xFFFFFFFF, x, 1)
elif x % 3 == 1:
    r = cuda.shfl_xor_sync(0xFFFFFFFF, x * 3, 2) + 1
else:
    r = cuda.shfl_xor_sync(0xFFFFFFFF, x * 5, 4) + 2
""",
    "literal_masks": """
if lane < 20:
    r = cuda.shfl_sync(0x000FFFFF, x, (lane + 1) % 20)
    r += cuda.ballot_sync(0x000FFFFF, x % 2)
else:
    r = cuda.shfl_sync(0xFFF00000, x, 20 + (lane + 3) % 12) * 7
    r += cuda.popc(cuda.ballot_sync(0xFFF00000, x % 2))
""",
    "halves_at_one_place": """
members = 0xFFFF if lane < 16 else 0xFFFF0000
r = cuda.ballot_sync(members, x % 2 == 0) & 0xFFFFFFFF
r += cuda.shfl_xor_sync(members, x, 7) * 3
r += 11 if cuda.all_sync(members, x > 30) else 13
r += 17 if cuda.any_sync(members, x < 30) else 19
r += 23 if cuda.eq_sync(members, x > 900) else 29
""",
    "groups_by_value": """
peers = cuda.match_any_sync(0xFFFFFFFF, x % 5)
leader = cuda.ffs(peers) - 1
r = cuda.shfl_sync(peers, x, leader) * 3
r += cuda.popc(cuda.ballot_sync(peers, x % 2 == 1))
rank = cuda.popc(peers & cuda.lanemask_lt())
r += rank * 100 + cuda.shfl_sync(peers, rank, leader)
""",
    "half_warp_sync": """
ws = cuda.shared.array(256, int64)
half = 0xFFFF if lane < 16 else 0xFFFF0000
for k in range(3):
    ws[tid] = x + r
    cuda.syncwarp(half)
    r = (r * 3 + ws[warp * 32 + (lane ^ (k + 1))]) & 0xFFFFF
    cuda.syncwarp(half)
""",
    "active_lanes_in_arms": """
if lane < 13:
    r = cuda.activemask() & 0xFFFFFFFF
else:
    r = 7 * cuda.popc(cuda.activemask())
""",
    "nested_collectives": """
r = cuda.shfl_sync(0xFFFFFFFF, cuda.shfl_up_sync(0xFFFFFFFF, x, 1) + x, cuda.shfl_xor_sync(0xFFFFFFFF, x, 3))
r += cuda.popc(cuda.ballot_sync(0xFFFFFFFF, cuda.any_sync(0xFFFFFFFF, x > 1000) and x > 500))
""",
}

# Any block: partial warps, lanes that have exited.
ANY = {
    "ballot_of_all": """
r = cuda.ballot_sync(0xFFFFFFFF, True) & 0xFFFFFFFF
r += cuda.popc(cuda.activemask())
""",
    "compaction": """
keep = cuda.ballot_sync(0xFFFFFFFF, x % 3 == 0)
rank = cuda.popc(keep & cuda.lanemask_lt())
first = 0
if lane == 0:
    first = cuda.atomic.add(tot, (block, 0), cuda.popc(keep))
first = cuda.shfl_sync(0xFFFFFFFF, first, 0)
r = rank * 1000 + (5 if first < 0 else 6)
""",
    "trip_count_from_ballot": """
count = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, x % 4 == 0))
for k in range(count):
    r = (r * 3 + cuda.shfl_sync(0xFFFFFFFF, x, 0) + (1 if cuda.any_sync(0xFFFFFFFF, x % 16 == k) else 0)) & 0xFFFFF
""",
    "while_any_lane_wants": """
left = x % 5
while cuda.any_sync(0xFFFFFFFF, left > 0):
    r = (r * 3 + cuda.popc(cuda.ballot_sync(0xFFFFFFFF, left > 0))) & 0xFFFFF
    left -= 1
""",
    "collective_behind_and": """
if x % 2 == 0 and cuda.any_sync(cuda.activemask(), x % 16 == 0):
    r = 5
elif x % 3 == 0 or lane == 4:
    r = 6
""",
    "collective_behind_and_with_mask": """
even = cuda.ballot_sync(0xFFFFFFFF, x % 2 == 0)
if x % 2 == 0 and cuda.all_sync(even, x > 40):
    r = 5
third = cuda.ballot_sync(0xFFFFFFFF, x % 3 != 0)
if x % 3 == 0 or cuda.any_sync(third, x > 900):
    r += 6
""",
    "collective_in_conditional_expression": """
low = cuda.ballot_sync(0xFFFFFFFF, x < 512)
r = cuda.popc(cuda.ballot_sync(low, x % 2)) if x < 512 else 100 + cuda.popc(cuda.ballot_sync(~low, x % 2))
""",
    "votes_name_lanes_that_exited": """
if x % 4 == 0:
    return
r = cuda.ballot_sync(0xFFFFFFFF, x % 2 == 0) & 0xFFFFFFFF
if x % 4 == 1:
    out[i] = r
    return
r += 3 if cuda.all_sync(0xFFFFFFFF, x % 4 != 1) else 5
r += 7 if cuda.eq_sync(0xFFFFFFFF, x % 4 >= 2) else 11
r += cuda.match_any_sync(0xFFFFFFFF, x % 4) & 0xFFFFFFFF
""",
    "leaders_in_turn": """
todo = cuda.ballot_sync(0xFFFFFFFF, True) & 0xFFFFFFFF
while todo != 0:
    leader = cuda.ffs(todo) - 1
    same = cuda.ballot_sync(0xFFFFFFFF, cuda.shfl_sync(0xFFFFFFFF, x % 7, leader) == x % 7) & 0xFFFFFFFF
    if (same >> lane) & 1 != 0:
        r = leader * 100 + cuda.popc(same)
    todo = todo & ~same
""",
    "loop_lanes_in_turn": """
members = cuda.ballot_sync(0xFFFFFFFF, x % 2 == 0)
if x % 2 == 0:
    mate = next_member(members, lane)
    for k in range(3):
        r = (r * 5 + cuda.shfl_sync(members, x + r, mate)) & 0xFFFFF
else:
    for k in range(x % 4):
        r += k
""",
    "match_all_and_types": """
bits, same = cuda.match_all_sync(0xFFFFFFFF, x % 1024 // 1024)
r = bits & 0xFFFFFFFF if same else 1
bits, same = cuda.match_all_sync(0xFFFFFFFF, float32(x))
r += 3 if same else 5
r += cuda.match_any_sync(0xFFFFFFFF, float64(x % 4) * 0.5) & 0xFFFF
r += cuda.match_any_sync(0xFFFFFFFF, int32(x % 6)) & 0xFF
""",
    "warp_of_device_function_in_both_arms": """
low = cuda.ballot_sync(0xFFFFFFFF, x < 512)
if x < 512:
    r = group_sum(low, lane, x)
else:
    r = group_sum(~low, lane, x * 2) + 1
""",
    "fences_do_not_wait": """
cuda.threadfence()
if x % 2 == 0:
    cuda.threadfence_block()
    r = 1
else:
    cuda.threadfence_system()
    r = 2
r += cuda.popc(cuda.ballot_sync(0xFFFFFFFF, r == 1)) * 10
""",
    "bits": """
y = x * 2654435761 + lane
r = cuda.popc(y) + cuda.clz(y) * 3 + cuda.ffs(y) * 5 + (int64(cuda.brev(y) & uint64(0xFF)))
z = int32(y & 0x7FFFFFFF) - int32(lane) * int32(2)
w = int32(z)
r += int64(cuda.popc(int32(w))) * 7 + int64(cuda.clz(int32(w))) * 11 + int64(cuda.ffs(int32(w))) * 13
r += int64(cuda.brev(int32(w)) >> uint32(20)) + cuda.selp(x > 500, lane, 50)
r += int64(cuda.fma(float64(x), 0.5, 3.0) * 2.0)
""",
}
FUNCTIONS = (
    NEXT_MEMBER
    + """
@cuda.jit(device=True)
def group_sum(members, lane, value):
    total = 0
    there = cuda.ballot_sync(members, True)
    for k in range(32):
        if (there >> k) & 1 != 0:
            total += cuda.shfl_sync(members, value, k)
    return total
"""
)
KERNELS = {
    **{name: (text, FULL_WARPS) for name, text in WHOLE.items()},
    **{name: (text, ANY_WARPS) for name, text in ANY.items()},
}
