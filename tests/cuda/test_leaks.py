"""Many launches, streams, events and arrays leave nothing behind."""

import json
import sys

import processes
import pytest
import runs


def test_streams_with_grid_barriers_leak_nothing():
    runs.run("""
@cuda.jit
def together(x):
    x[cuda.grid(1)] += 1
    cuda.cg.this_grid().sync()

x = zeros(64)
def work(times):
    for _ in range(times):
        together[2, 32, cuda.stream()](x)
        cuda.synchronize()
    cuda.current_context().deallocations.clear()
    return fake.live_count("device")

work(20)
assert work(100) < 30, fake.live("device")  # a dozen streams are dropped before a flush ends them
""")


WORK = """
import ctypes, gc, json, sys
import numpy as np
from treadle import cuda
stream = cuda.stream()
x, y = (cuda.to_device(np.zeros(32, np.float32)) for _ in range(2))

@cuda.jit
def nothing(x, value):
    pass

def launch(turn):
    nothing[1, 32, stream](x, turn)

def allocate(turn):
    fresh = cuda.device_array(32, np.float32, stream=stream)
    nothing[1, 32, stream](fresh, turn)

def record(turn):
    event = cuda.event()
    event.record(stream)
    nothing[1, 32](y, 1)
    event.wait()

def open_stream(turn):
    nothing[1, 32, cuda.stream()](y, 1)

def work(function, times):
    for turn in range(times):
        function(turn)
        if turn % 50 == 49:
            cuda.synchronize()
            clear_trace()
    cuda.synchronize()
    clear_trace()
    gc.collect()
    cuda.current_context().deallocations.clear()

class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("allocations", "frees", "locks")]

counting, counts = ctypes.CDLL(None), Counts()
kept = {}
for name, times in json.loads(sys.argv[1]).items():
    work(globals()[name], times // 4)
    before = counted()
    counting.fakeCudaCountingBegin()
    work(globals()[name], times)
    counting.fakeCudaCountingEnd(ctypes.byref(counts))
    assert counted() == before, (name, before, counted())
    kept[name] = counts.allocations - counts.frees
print(json.dumps(kept))
"""
OF_THE_STAND_IN = """
def clear_trace():  # whose entries the stand-in has made without their being counted
    counting.fakeCudaCountingPause(1)
    fake.clear_trace()
    counting.fakeCudaCountingPause(-1)

def counted():
    return {kind: fake.live_count(kind) for kind in "context stream event module device pinned".split()}
"""
OF_NO_DRIVER = "clear_trace = counted = lambda: None"


def check_counted(driver, names, times):
    """`times`: how often each function of WORK is called. None keeps an allocation each time, nor frees one
    that was not counted. (Some streams are given back later.)"""
    counting = runs.LIBRARIES / "libfakedriver_counting.so"
    if not (counting.exists() and (driver / "libcuda.so.1").exists()):
        pytest.skip("the counting of allocations is not built: ./dev build")
    command = [sys.executable, "-c", names + WORK, json.dumps(times)]
    settings = {"LD_LIBRARY_PATH": str(driver), "LD_PRELOAD": str(counting), "FAKE_CUDA_KERNEL_RACES": "0"}
    # Else small objects of Python's are parts of allocations that are there already.
    result = processes.run(command, 600, runs.environment(PYTHONMALLOC="malloc", **settings))
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    kept = json.loads(result.stdout)
    assert {name: count for name, count in kept.items() if abs(count) > times[name] // 2} == {}


def test_what_programs_make_again_and_again_leaves_nothing():
    """Resources of the driver, and allocations of this process beyond what it has freed, but for the stand-in's own."""
    times = {"launch": 20000, "allocate": 2000, "record": 1000, "open_stream": 200}
    check_counted(runs.LIBRARIES, "import fake" + OF_THE_STAND_IN, times)


def test_a_million_launches_leave_nothing():
    """Allocations of this process beyond what it has freed, on the driver that does nothing (bench/nulldriver)."""
    times = {"launch": 1000000, "allocate": 50000, "record": 20000, "open_stream": 1000}
    check_counted(runs.LIBRARIES.parents[1] / "bench/nulldriver", OF_NO_DRIVER, times)
