"""Constructs: the statements that exchange values between threads, as text with placeholders, one entry per construct.

An exchange gives every thread a new `r` that depends on the contributions of others. It starts from the thread's own
value `{v}`, uses the mate's number `{q}` or the member mask `{m}`, and ends with `e += 1`, so that `e` counts a
thread's exchanges.

Exchanges through memory have two barriers each: one between writing and reading, one between reading and the next
write. So all threads of a block (of a warp, with `syncwarp`) are in the same half of an exchange, whichever exchange
each is in, and any thread may read any other's cell: no kernel built from them has a race.
"""

from dataclasses import dataclass

import numpy as np

CELLS = 8  # elements that the atomic operations of one block use
GRID_CELLS = 256  # elements per block if there are barriers of the grid
KEEP = "& 0xFFFFF"  # keeps `r` small

NEXT_MEMBER = """
@cuda.jit(device=True)
def next_member(members, lane):
    above = (members & 0xFFFFFFFF) >> (lane + 1)
    if above != 0:
        return lane + cuda.ffs(above)
    return cuda.ffs(members & 0xFFFFFFFF) - 1
"""
SWAP = """
@cuda.jit(device=True)
def swap(cells, tid, mate, value):
    cells[tid] = value
    cuda.syncthreads()
    got = cells[mate]
    cuda.syncthreads()
    return got
"""


@dataclass(frozen=True)
class Construct:
    """`setup`, `exchange`: lines of a kernel. `arrays`: names that an exchange in a device function needs."""

    name: str
    exchange: str
    setup: str = ""
    arrays: tuple = ()
    functions: str = ""
    is_warp: bool = False
    dynamic: int = 0  # bytes of dynamic shared memory per thread
    element: str = "int64"  # of the global arrays that atomic operations use
    start: int = 0  # initial contents of those arrays
    cells: int = CELLS  # elements of them per block


def _shared(kind, name="syncthreads", extra=""):
    """A cell of shared memory per thread. `extra`: what is added from the barrier's result."""
    barrier = f"cuda.{name}({{p}})" if extra else f"cuda.{name}()"
    first = f"voted = {barrier}" if extra else barrier
    exchange = f"""
sh[tid] = {{v}}
{first}
r = (r * 5 + sh[{{q}}]{extra}) {KEEP}
{barrier}"""
    start = barrier.replace("{p}", "tid >= 0")
    return exchange, f"sh = {kind}\nsh[tid] = x\n{start}"


def _block_constructs():
    static, dynamic = "cuda.shared.array(1024, {t})", "cuda.shared.array(0, {t})"
    exchange, setup = _shared(static)
    yield Construct("syncthreads", exchange, setup, ("sh",))
    call = f"\nr = (r * 5 + swap(sh, tid, {{q}}, {{v}})) {KEEP}"
    yield Construct("device_barrier", call, setup, ("sh",), SWAP)
    sync = "cuda.cg.this_grid().sync()"
    exchange = f"""
acc[block, tid] = {{v}}
{sync}
r = (r * 5 + acc[(block + 1) % cuda.gridDim.x, {{q}}]) {KEEP}
{sync}"""
    yield Construct("grid_sync", exchange, f"acc[block, tid] = x\n{sync}", ("acc",), cells=GRID_CELLS)
    exchange, setup = _shared(dynamic)
    yield Construct("dynamic_shared", exchange, setup, ("sh",), dynamic=8)
    for kind, predicate in (("count", "{v} % 3 == 0"), ("and", "{v} % 509 != 5"), ("or", "{v} % 509 == 5")):
        exchange, setup = _shared(static, f"syncthreads_{kind}", " + voted * 3")
        yield Construct(f"syncthreads_{kind}", exchange.replace("{p}", predicate), setup, ("sh",))


# (operation, element type, operand, initial value of cells): the final value is independent of order.
UNUSED = (
    ("add", "int32", "{v}", 0), ("sub", "int64", "{v}", 0), ("or_", "uint32", "1 << ({v} & 31)", 0),
    ("and_", "int32", "-1 - (1 << ({v} & 15))", -1), ("xor", "int64", "{v}", 0), ("max", "int32", "{v}", 0),
    ("min", "int64", "{v}", 5000), ("add", "float64", "{v}", 0), ("max", "float32", "{v}", 0),
    ("nanmin", "float64", "{v}", 5000), ("add", "uint64", "{v}", 0), ("nanmax", "int64", "{v}", 0),
    ("add", "float32", "{v} & 15", 0), ("xor", "uint32", "1 << lane", 0), ("inc", "uint32", "6", 0),
    ("dec", "uint64", "6", 3), ("and_", "uint64", "1023 - (1 << ({v} & 7))", 1023), ("sub", "uint32", "{v} & 15", 9999),
    ("min", "float32", "{v}", 5000), ("max", "uint64", "{v}", 0),
)  # fmt: skip
# (operation, element type, operands, function of `old` whose sum is independent of order, initial value).
USED = (
    ("add", "int32", "1", "old", 0),
    ("exch", "int64", "{v}", "old", 7),
    ("inc", "uint32", "6", "old", 0),
    ("cas", "int64", "0, 1", "1 if old == 0 else 2", 0),
    ("or_", "uint32", "1 << lane", "(old >> lane) & 1", 0),
    ("dec", "uint32", "6", "old", 3),
    ("sub", "int64", "2", "old", 900),
    ("xor", "int32", "1 << lane", "(old >> lane) & 1", 0),
    ("add", "float64", "2", "old", 0),
    ("exch", "uint32", "{v}", "old", 3),
    ("inc", "uint64", "9", "old", 0),
    ("cas", "uint32", "5, 6", "1 if old == 5 else 2", 5),
    ("add", "uint64", "3", "old", 1),
    ("min", "int32", "{v}", "1 if old < 0 else 2", 5000),
    ("and_", "int64", "-1 - (1 << lane)", "(old >> lane) & 1", -1),
    ("max", "int64", "{v}", "1 if old > 5000 else 2", 0),
    ("dec", "uint64", "4", "old", 0),
    ("cas", "int32", "3, 4", "1 if old == 3 else 2", 3),
    ("add", "float32", "1", "old", 0),
)


def _atomic(operation, operands, used, place):
    """`place`: (cells, index, totals), as text."""
    cells, index, totals = place
    call = f"cuda.atomic.{operation}({cells}, {index}, {operands})"
    if not used:
        return f"\n{call}\ncuda.syncthreads()\nr = (r * 5 + int64({cells}[{index}])) {KEEP}\ncuda.syncthreads()"
    return f"""
old = {call}
cuda.atomic.add({totals}, {index}, {used})
cuda.syncthreads()
r = (r * 5 + int64({cells}[{index}]) + {totals}[{index}]) {KEEP}
cuda.syncthreads()"""


def atomic_construct(is_shared, is_used, variant):
    """The construct with operation and element type number `variant`."""
    row = (USED if is_used else UNUSED)[variant % len(USED if is_used else UNUSED)]
    operation, element, operands, *used, start = row
    sum_of = f"int64({used[0]})" if used else ""
    name = f"{'shared' if is_shared else 'global'}_atomic{'_used' if is_used else ''}"
    if not is_shared:
        # Any thread's value may remain, so all write the same one.
        operands = f"e % {CELLS} * 3 + 40" if operation == "exch" else operands
        exchange = _atomic(operation, operands, sum_of, ("acc", f"(block, e % {CELLS})", "tot"))
        return Construct(name, exchange, "", ("acc", "tot"), element=element, start=start)
    exchange = _atomic(operation, operands, sum_of, ("cells", f"e % {CELLS}", "totals"))
    setup = f"""cells = cuda.shared.array({CELLS}, {element})
totals = cuda.shared.array({CELLS}, int64)
for c in range(tid, {CELLS}, size):
    cells[c] = {start}
    totals[c] = 0
cuda.syncthreads()"""
    return Construct(name, exchange, setup, ("cells", "totals"))


_MEMBERS = "\nmembers = cuda.ballot_sync({m}, tid >= 0)\nmate = next_member(members, lane)"
_FOLD = f"\nr = (r * 5 + bits + (bits >> 16)) {KEEP}"


def _warp_constructs():
    # The last operand of each lane's shuffle, chosen to read from its mate where the rules allow it.
    steps = {
        "shfl": "mate + (x & 1) * 32",
        "shfl_up": "lane - mate if mate <= lane else 31",
        "shfl_down": "mate - lane if mate >= lane else 31",
        "shfl_xor": "lane ^ mate",
    }
    for name, step in steps.items():
        exchange = f"{_MEMBERS}\nr = (r * 5 + cuda.{name}_sync({{m}}, {{v}}, {step})) {KEEP}"
        yield Construct(name, exchange, functions=NEXT_MEMBER, is_warp=True)
    votes = {"all": "{v} % 61 != 5", "any": "{v} % 61 == 5", "eq": "{v} > 40"}
    for name, predicate in votes.items():
        exchange = f"\nr = (r * 5 + x + (3 if cuda.{name}_sync({{m}}, {predicate}) else 1)) {KEEP}"
        yield Construct(f"{name}_sync", exchange, is_warp=True)
    yield Construct("ballot", f"\nbits = cuda.ballot_sync({{m}}, {{v}} % 2 == 0){_FOLD}", is_warp=True)
    yield Construct("match_any", f"\nbits = cuda.match_any_sync({{m}}, {{t}}({{v}} % 4)){_FOLD}", is_warp=True)
    both = "\nbits, same = cuda.match_all_sync({m}, {t}(1 if {v} % 61 == 5 else 2))\nr = r + 3 if same else r + 1"
    yield Construct("match_all", both + _FOLD, is_warp=True)
    exchange = f"""
ws[tid] = {{v}}
cuda.syncwarp({{m}})
r = (r * 5 + ws[{{w}}]) {KEEP}
cuda.syncwarp({{m}})"""
    setup = "ws = cuda.shared.array(1024, {t})\nws[tid] = x\ncuda.syncwarp()"
    yield Construct("syncwarp", exchange, setup, ("ws",), NEXT_MEMBER, is_warp=True)


PLAIN = {c.name: c for c in (*_block_constructs(), *_warp_constructs())}
ATOMIC = {
    "shared_atomic": (True, False), "shared_atomic_used": (True, True),
    "global_atomic": (False, False), "global_atomic_used": (False, True),
}  # fmt: skip
NAMES = (*PLAIN, *ATOMIC)

MATES = ("(tid + 1) % size", "size - 1 - tid", "(tid * 7 + 3) % size", "x % size", "(tid + e + 5) % size")
WARP_MATES = (
    "min(warp * 32 + (lane + 5) % 32, size - 1)", "min(warp * 32 + 31 - lane, size - 1)",
    "min(tid ^ 1, size - 1)", "min(warp * 32 + x % 32, size - 1)",
)  # fmt: skip


def construct(name, variant=0):
    if name in ATOMIC:
        return atomic_construct(*ATOMIC[name], variant)
    return PLAIN[name]


def exchange(what, mask, variant, own_group=False):
    """Lines of one exchange. `own_group`: the mask names only some lanes, and mates must be among them."""
    text = what.exchange
    if "{w}" in text:
        if own_group:
            text = "\nmembers = cuda.ballot_sync({m}, tid >= 0)" + text
        mate = "warp * 32 + next_member(members, lane)" if own_group else WARP_MATES[variant % len(WARP_MATES)]
        text = text.replace("{w}", mate)
    value = f"((x + r * 3 + e * 7 + {variant % 50}) & 1023)"
    text = text.replace("{m}", mask).replace("{v}", value).replace("{q}", MATES[variant % len(MATES)])
    text = text.replace("cuda.syncwarp(0xFFFFFFFF)", "cuda.syncwarp()") if variant % 2 else text
    return [*text.strip("\n").split("\n"), "e += 1"]


def global_arrays(what, blocks):
    """The arrays `acc` and `tot` that a launch passes."""
    return np.full((blocks, what.cells), what.start, what.element), np.zeros((blocks, what.cells), np.int64)
