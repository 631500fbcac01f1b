"""Positions: where in a kernel's control flow exchanges occur, and the conditions on the way there.

`X(mask)` is replaced by an exchange with that member mask. `{C}` is a condition, `{D}` one of another kind, `{K}` a
number from 0 to 3; all are constant per thread. Lines that begin with `@` maintain masks: they are only in kernels
whose collectives name exactly the lanes that are converged. Others name the whole warp everywhere: lanes meet wherever
they are.
"""

FULL = "0xFFFFFFFF"

POSITIONS = {
    "top": """
X(FULL)
X(FULL)""",
    "one_arm": """
@inside = cuda.ballot_sync(FULL, {C})
if {C}:
    X(inside)
X(FULL)""",
    "both_arms": """
@inside = cuda.ballot_sync(FULL, {C})
if {C}:
    X(inside)
else:
    r += 1
    X(~inside)
X(FULL)""",
    "uneven_arms": """
@inside = cuda.ballot_sync(FULL, {C})
if {C}:
    X(inside)
    X(inside)
else:
    X(~inside)""",
    "ifs_in_turn": """
@inside = cuda.ballot_sync(FULL, {C})
if {C}:
    X(inside)
if not {C}:
    X(~inside)
X(FULL)""",
    "nested_ifs": """
@inside = cuda.ballot_sync(FULL, {C})
if {C}:
    @both = cuda.ballot_sync(inside, {D})
    if {D}:
        X(both)
    else:
        X(inside & ~both)
    X(inside)
elif {D}:
    r += 2
else:
    r += 1
X(FULL)""",
    "for_loop": """
@live = cuda.ballot_sync(FULL, {K} > 0)
for k in range({K}):
    X(live)
    @live = cuda.ballot_sync(live, k + 1 < {K})
X(FULL)""",
    "while_loop": """
left = {K}
@live = cuda.ballot_sync(FULL, left > 0)
while left > 0:
    left -= 1
    X(live)
    @live = cuda.ballot_sync(live, left > 0)
X(FULL)""",
    "do_while": """
@live = FULL
left = {K}
while True:
    X(live)
    @live = cuda.ballot_sync(live, left > 0)
    if left <= 0:
        break
    left -= 1
X(FULL)""",
    "loop_in_if": """
@inside = cuda.ballot_sync(FULL, {C})
if {C}:
    for k in range(2):
        X(inside)
else:
    r += 3
X(FULL)""",
    "if_in_loop": """
@inside = cuda.ballot_sync(FULL, {C})
for k in range(3):
    if {C}:
        X(inside)
    else:
        r += k
X(FULL)""",
    "two_in_loop": """
@inside = cuda.ballot_sync(FULL, {C})
for k in range(2):
    X(FULL)
    if {C}:
        r += 5
        X(inside)
    X(FULL)""",
    "nested_loops": """
for j in range(2):
    @live = cuda.ballot_sync(FULL, {K} > 0)
    for k in range({K}):
        X(live)
        @live = cuda.ballot_sync(live, k + 1 < {K})
    r += j
X(FULL)""",
    "after_break": """
@live = FULL
for k in range(3):
    @live = cuda.ballot_sync(live, k != {K})
    if k == {K}:
        break
    X(live)
X(FULL)""",
    "after_continue": """
for k in range(4):
    @going = cuda.ballot_sync(FULL, k != {K})
    if k == {K}:
        continue
    X(going)""",
    "after_return": """
X(FULL)
@alive = cuda.ballot_sync(FULL, not {C})
if {C}:
    out[i] = r + 7
    return
X(alive)
X(FULL)""",
    "return_in_loop": """
@live = FULL
for k in range(3):
    @live = cuda.ballot_sync(live, k != {K})
    if k == {K}:
        out[i] = r + 9
        return
    X(live)
X(FULL)""",
    "device_function": """
@inside = cuda.ballot_sync(FULL, {C})
if {C}:
    r, e = STEP(inside)
else:
    r += 1
X(FULL)""",
    "device_function_loop": """
@live = cuda.ballot_sync(FULL, {K} > 0)
for k in range({K}):
    r, e = STEP(live)
    @live = cuda.ballot_sync(live, k + 1 < {K})
r, e = STEP(FULL)""",
    "device_function_return": """
@inside = cuda.ballot_sync(FULL, {C})
r, e = STEP_IF({C}, inside)
X(FULL)""",
}

# Each kind: conditions, and numbers of iterations from 0 to 3.
CONDITIONS = {
    "grid": (("n > 2", "n % 2 == 0"), ("n", "n - 1")),
    "block": (("block % 2 == 0", "cuda.blockIdx.x > 0"), ("block + 1", "2 - block")),
    "warp": (("warp % 2 == 0", "warp > 0", "tid // 32 == 1"), ("warp % 3 + 1", "2 - warp % 3")),
    "affine": (("tid < 20", "lane >= 11", "tid > 40", "lane == 5", "lane < 30"), ("lane // 12", "min(tid // 20, 3)")),
    "varying": (("x % 3 == 0", "x & 1 == 1", "data[i] < 600", "lane % 2 == 0"), ("x % 4", "(x + tid) % 3")),
}  # fmt: skip
KINDS = (*CONDITIONS,)


def condition(kind, variant):
    rows = CONDITIONS[kind][0]
    return f"({rows[variant % len(rows)]})"


def trips(kind, variant):
    rows = CONDITIONS[kind][1]
    return f"({rows[variant % len(rows)]})"
