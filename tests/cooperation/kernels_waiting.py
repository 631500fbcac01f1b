"""Threads that wait for others in loops of any form: every thread that can make progress eventually does."""

KERNELS = {
    "flag_of_another_warp": """
if tid == 0:
    sh[1] = 0
cuda.syncthreads()
if warp == 1:
    while cuda.atomic.add(sh, 1, 0) == 0:
        r += 0
    r = 7
elif tid == 0:
    cuda.threadfence_block()
    cuda.atomic.exch(sh, 1, 5)
""",
    "flag_of_another_block": """
if block == 0 and cuda.gridDim.x > 1:
    while cuda.atomic.add(tot, (0, 0), 0) == 0:
        r += 0
    r = acc[1, 0] + 3
elif tid == 0:
    acc[block, 0] = 70
    cuda.threadfence()
    cuda.atomic.add(tot, (0, 0), 1)
""",
    "lock_of_each_lane": """
done = False
while not done:
    if cuda.atomic.cas(tot, (0, 0), 0, 1) == 0:
        acc[0, 0] = acc[0, 0] * 1 + x
        cuda.threadfence()
        cuda.atomic.exch(tot, (0, 0), 0)
        done = True
""",
    "flag_decides_an_if": """
if tid == 0:
    sh[1] = 0
cuda.syncthreads()
if tid == 0:
    done = False
    while not done:
        if cuda.atomic.add(sh, 1, 0) == 5:
            done = True
    r = 7
elif tid == 33:
    cuda.atomic.exch(sh, 1, 5)
""",
    "continue_until_the_flag_of_a_lane": """
if tid == 0:
    sh[1] = 0
cuda.syncthreads()
if tid == 0:
    while True:
        if cuda.atomic.add(sh, 1, 0) == 0:
            continue
        break
    r = 7
elif tid == 1:
    cuda.atomic.exch(sh, 1, 5)
""",
    "one_flag_after_another": """
sh[tid] = 0
cuda.syncthreads()
if tid == 0:
    j = 1
    while j < size:
        if cuda.atomic.add(sh, j, 0) != 0:
            j += 1
    r = j
else:
    cuda.atomic.add(sh, tid, 1)
""",
    "sum_of_flags": """
sh[tid] = 0
cuda.syncthreads()
if tid == 0:
    total = 0
    while total < size - 1:
        total = 0
        for j in range(1, 64):
            total += cuda.atomic.add(sh, j, 0)
    r = total
else:
    cuda.atomic.add(sh, tid, 1)
""",
    "links_that_others_make": """
sh[tid] = 0
cuda.syncthreads()
if tid == 0:
    at = 0
    while at != size - 1:
        after = cuda.atomic.or_(sh, at, 0)
        if after != 0:
            at = after
            r += 1
else:
    cuda.atomic.exch(sh, tid - 1, tid)
""",
    "plain_flag": """
if tid == 0:
    sh[1] = 0
cuda.syncthreads()
if tid == 0:
    while sh[1] == 0:
        r += 0
    r = 7
elif tid == 1:
    sh[1] = 5
""",
    "plain_flags_one_after_another": """
sh[tid] = 0
cuda.syncthreads()
if tid == 0:
    j = 1
    while j < size:
        if sh[j] != 0:
            j += 1
    r = j
else:
    sh[tid] = 1
""",
    "lock_in_so_many_tries": """
got = 0
for attempt in range(1000000):
    if cuda.atomic.cas(tot, (0, 0), 0, 1) == 0:
        got = 1
        break
if got == 1:
    acc[0, 0] = acc[0, 0] + x
    cuda.threadfence()
    cuda.atomic.exch(tot, (0, 0), 0)
r = got
""",
    "plain_flag_in_so_many_tries": """
if block == 0 and cuda.gridDim.x > 1:
    for attempt in range(1000000000):
        if tot[0, 0] != 0:
            r = 7
            break
elif tid == 0:
    tot[0, 0] = 1
""",
    "flag_read_in_a_function": """
if tid == 0:
    sh[1] = 0
cuda.syncthreads()
if tid == 0:
    while plain_flag(sh) == 0:
        r += 0
    r = 7
elif tid == 40:
    sh[1] = 5
""",
    "loop_in_a_function": """
if tid == 0:
    sh[1] = 0
cuda.syncthreads()
if tid == 0:
    r = wait_for(sh, 1)
elif tid == 40:
    cuda.atomic.exch(sh, 1, 5)
""",
    "block_that_waits_with_barriers": """
if block == 0 and cuda.gridDim.x > 1:
    while True:
        if tid == 0:
            sh[0] = cuda.atomic.add(tot, (0, 0), 0)
        cuda.syncthreads()
        if sh[0] == 1:
            break
        cuda.syncthreads()
    r = acc[1, 0] + 3
elif tid == 0:
    acc[block, 0] = 70
    cuda.threadfence()
    cuda.atomic.add(tot, (0, 0), 1)
""",
    "block_that_waits_so_many_barriers": """
if block == 0 and cuda.gridDim.x > 1:
    for attempt in range(1000000000):
        if tid == 0:
            sh[0] = cuda.atomic.add(tot, (0, 0), 0)
        cuda.syncthreads()
        if sh[0] == 1:
            break
        cuda.syncthreads()
    r = acc[1, 0] + 3
elif tid == 0:
    acc[block, 0] = 70
    cuda.threadfence()
    cuda.atomic.add(tot, (0, 0), 1)
""",
    "block_that_waits_in_a_vote": """
if block == 0 and cuda.gridDim.x > 1:
    while cuda.syncthreads_or(cuda.atomic.add(tot, (0, 0), 0) == 0):
        r += 0
    r = acc[1, 0] + 3
elif tid == 0:
    acc[block, 0] = 70
    cuda.threadfence()
    cuda.atomic.add(tot, (0, 0), 1)
""",
}
FUNCTIONS = """
@cuda.jit(device=True)
def plain_flag(sh):
    return sh[1]

@cuda.jit(device=True)
def wait_for(sh, place):
    seen = 0
    while seen == 0:
        got = cuda.atomic.max(sh, place, -1)
        if got > 0:
            seen = got
    return seen
"""
