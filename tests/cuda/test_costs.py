"""A warm launch on the CUDA device allocates nothing and takes no lock, apart from what the driver does itself.

Counted at malloc and pthread by tests/fakedriver/counting.cpp, over 10^4 launches.
"""

import pytest
import runs

COUNTING = runs.LIBRARIES / "libfakedriver_counting.so"
PROGRAM = """
import ctypes, json
from treadle import _hooks

class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("allocations", "frees", "locks")]

counting = ctypes.CDLL(None)
TIMES, PART = 10000, 500

@cuda.jit
def none():
    pass

@cuda.jit
def one(a):
    a[0] = 1

@cuda.jit
def four(a, b, c, d):
    a[0] = b[0] + c[0] + d[0]

@cuda.jit
def sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p):
    a[0] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0] + i[0] + j[0] + k[0] + l[0] + m[0] + n[0] + o[0] + p[0]

@cuda.jit
def scalars(x, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o):
    x[0] = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o

KERNELS = {0: none, 1: one, 4: four, 16: sixteen}
arrays = [zeros(4) for _ in range(16)]
numbers = [n if n % 2 else n / 3 for n in range(15)]
streams = {"default": 0, "created": cuda.stream(), "thread": cuda.per_thread_default_stream()}

def launches(what, stream):
    if what == "scalars":
        return scalars[1, 1, stream], [arrays[0], *numbers]
    return KERNELS[what][1, 1, stream], arrays[:what]

def counted(launch, arguments):
    loop = [None] * PART
    result = Counts()
    before = _hooks.short_mutexes_taken()
    counting.fakeCudaCountingBegin()
    for _ in loop:
        launch(*arguments)
    counting.fakeCudaCountingEnd(ctypes.byref(result))
    return result.allocations, result.frees, result.locks, _hooks.short_mutexes_taken() - before

def nothing(*arguments):
    pass

def cost(launch, arguments):
    \"\"\"Of a part of the launches, as the driver's queue is limited: the least; beyond calls of a function.\"\"\"
    counted(launch, arguments)
    cuda.synchronize()
    counted(nothing, arguments)
    base = counted(nothing, arguments)
    parts = []
    for _ in range(TIMES // PART):
        parts.append(counted(launch, arguments))
        cuda.synchronize()
    fake.clear_trace()
    return [min(numbers) - of_none for *numbers, of_none in zip(*parts, base)]

kinds = [0, 1, 4, 16, "scalars"]
costs = {}
for name, stream in streams.items():
    costs |= {f"{what} {name}": cost(*launches(what, stream)) for what in kinds}
print(json.dumps(costs))
"""


@pytest.fixture(scope="module")
def costs():
    if not COUNTING.exists():
        pytest.skip("the counting of allocations is not built: ./dev build")
    return runs.answer(PROGRAM, LD_PRELOAD=str(COUNTING), FAKE_CUDA_KERNEL_RACES="0", timeout=120)


@pytest.mark.parametrize("stream", ["default", "created", "thread"])
@pytest.mark.parametrize("what", ["0", "1", "4", "16", "scalars"])
def test_a_warm_launch_allocates_nothing_and_takes_no_lock(costs, what, stream):
    *allocations_frees_locks, _ = costs[f"{what} {stream}"]
    assert allocations_frees_locks == [0, 0, 0]


@pytest.mark.parametrize("what", ["0", "1", "4", "16", "scalars"])
def test_a_warm_launch_takes_one_short_mutex_for_each_array_it_notes_and_one_more_at_most(costs, what):
    arrays = 1 if what == "scalars" else int(what)
    assert max(costs[f"{what} {stream}"][3] for stream in ("default", "created", "thread")) <= 500 * (arrays + 1)
