"""Programs that launch for hours keep as much memory as at first, in the patterns of tests/soak_patterns.py.

What a launch leaves behind is looked at by later ones: their costs grow with it (`bench/soak.py`).
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
import soak_patterns
import stand_in

TESTS = Path(__file__).resolve().parent.parent
NULL_DRIVER = stand_in.LIBRARIES.parents[1] / "bench/nulldriver"
NAMES = [pattern.__name__ for pattern in soak_patterns.PATTERNS]
TURNS = 400
ALLOWED = 1999  # bytes; 50 of every tenth turn would be 2000

WORK = f"""
import ctypes, gc, sys
import soak_patterns
from treadle import cuda

def work(turn, times):
    for number in range(times):
        turn()
        if number % 50 == 0:
            cuda.synchronize()
    cuda.synchronize()
    gc.collect()
    cuda.current_context().deallocations.clear()

class Figures(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

figures = ctypes.CDLL(None).mallinfo2
figures.restype = Figures

def in_use():
    # Bytes that all threads have allocated and not freed.
    now = figures()
    return now.uordblks + now.hblkhd

for name in sys.argv[1:]:
    turn = getattr(soak_patterns, name)()
    work(turn, {TURNS})
    # Queues and caches move by some KB either way: what is left behind shows each time.
    kept = sys.maxsize
    for _ in range(5):
        before = in_use()
        work(turn, {TURNS})
        kept = min(kept, in_use() - before)
        if kept <= {ALLOWED}:
            break
    print(name, kept)
"""


def left_behind(names, **settings):
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("the C library has no mallinfo2: glibc before 2.33")
    result = subprocess.run(
        [sys.executable, "-c", WORK, *names],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)]), **settings},
    )
    assert result.returncode == 0, result.stderr
    kept = {name: int(count) for name, count in map(str.split, result.stdout.splitlines())}
    assert list(kept) == names
    return {name: count for name, count in kept.items() if count > ALLOWED}


def test_memory_stays_as_large():
    assert left_behind(NAMES, TREADLE_DEVICE="cpu") == {}


def test_memory_stays_as_large_on_cuda():
    """On the driver that does nothing (bench/nulldriver), as the stand-in keeps what it was asked for; it has no
    graphs."""
    if not (NULL_DRIVER / "libcuda.so.1").exists():
        pytest.skip("the driver that does nothing is not built: ./dev build")
    names = [pattern.__name__ for pattern in soak_patterns.PATTERNS if pattern not in soak_patterns.WITH_GRAPHS]
    assert left_behind(names, TREADLE_DEVICE="cuda", LD_LIBRARY_PATH=str(NULL_DRIVER)) == {}
