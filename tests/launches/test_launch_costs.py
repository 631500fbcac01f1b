"""A warm launch allocates nothing, takes no system lock and one ShortMutex: counted in a process of its own,
below malloc and pthread, and by ShortMutex itself.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNTING = ROOT / "build/dev/tests/fakedriver/libfakedriver_counting.so"

HEAD = """
import ctypes
import numpy as np
from treadle import _hooks, cuda

class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("allocations", "frees", "locks")]

counting = ctypes.CDLL(None)

def counts(statement, times, scope):
    loop = compile(f"for _ in range({times}):\\n    {statement}", "<loop>", "exec")
    counted, before = Counts(), _hooks.short_mutexes_taken()
    counting.fakeCudaCountingBegin()
    exec(loop, scope)
    counting.fakeCudaCountingEnd(ctypes.byref(counted))
    return counted.allocations, counted.frees, counted.locks, _hooks.short_mutexes_taken() - before

def of_each(statement, **scope):
    \"\"\"What 1000 of them cost beyond none, at the least: one that the system interrupts lets go of the GIL.\"\"\"
    counts(statement, 1000, scope), counts(statement, 0, scope)  # warm
    none = counts(statement, 0, scope)
    several = [counts(statement, 1000, scope) for _ in range(7)]
    return [min(numbers) - base for *numbers, base in zip(*several, none)]

@cuda.jit
def nothing():
    pass

@cuda.jit
def add(a, b, c, d):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = b[i] + c[i] + d[i]

@cuda.jit
def scale(a, by, pair):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= by + pair[1]

host = {name: np.ones(32, np.float32) for name in "abcd"}
device = {name: cuda.to_device(array) for name, array in host.items()}
"""


def count(program):
    if not COUNTING.exists():
        pytest.skip("the counting of allocations is not built: ./dev build")
    result = subprocess.run(
        [sys.executable, "-c", HEAD + program],
        capture_output=True,
        text=True,
        timeout=120,
        env={"LD_PRELOAD": str(COUNTING), "PYTHONPATH": ":".join(path for path in sys.path if path)},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "call",
    [
        "of_each('k[1, 32]()', k=nothing)",
        "of_each('k[1, 32](a, b, c, d)', k=add, **host)",
        "of_each('k[1, 32](a, b, c, d)', k=add, **device)",
        "of_each('k(a, b, c, d)', k=add[1, 32], **device)",
        "of_each('k(a, 2.5, (1, 3.5))', k=scale[1, 32], a=device['a'])",
        "of_each('k(a, b, c, d)', k=add[1, 32, cuda.default_stream()], **device)",
    ],
)
def test_warm_launches_allocate_nothing_and_take_one_short_mutex(call):
    assert count(f"print({call})") == "[0, 0, 0, 1000]\n"


def test_the_counting_counts():
    assert count("print(of_each('bytearray(5000)')[0])") == "1000\n"


def test_launches_on_a_stream_use_their_places_again():
    program = """
stream = cuda.stream()
scope = dict(k=add[1, 32, stream], **device)
sums = []
for _ in range(60):
    sums.append(counts("k(a, b, c, d)", 8, scope))
    stream.synchronize()
none = counts("k(a, b, c, d)", 0, scope)
print([sorted(numbers)[30] - base for *numbers, base in zip(*sums[20:], none)][:3])
"""
    # At most one lock for eight launches: the one that wakes the stream's thread.
    assert count(program) in ("[0, 0, 0]\n", "[0, 0, 1]\n")


def test_recording_takes_no_lock_and_allocates_by_the_chunk():
    program = """
import tempfile, treadle
with tempfile.TemporaryDirectory() as folder:
    with treadle.trace(folder + "/run.json"):
        allocations, frees, locks, short_mutexes = of_each('k[1, 32](a, b, c, d)', k=add, **device)
    print(allocations < 20, frees < 10, locks, short_mutexes)
    print(of_each('k[1, 32](a, b, c, d)', k=add, **device))
"""
    assert count(program) == "True True 0 1000\n[0, 0, 0, 1000]\n"
