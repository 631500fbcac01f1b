"""Many launches, streams, events and arrays leave nothing behind."""

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
import ctypes, gc, sys
import numpy as np
from treadle import cuda
count = int(sys.argv[1])
stream = cuda.stream()
x, y = (cuda.to_device(np.zeros(32, np.float32)) for _ in range(2))

@cuda.jit
def nothing(x, value):
    pass

def work(times):
    for turn in range(times):
        nothing[1, 32, stream](x, turn)
        if turn % 10 == 0:
            fresh = cuda.device_array(32, np.float32, stream=stream)
            nothing[1, 32, stream](fresh, turn)
            del fresh
        if turn % 100 == 0:
            event = cuda.event()
            event.record(stream)
            nothing[1, 32](y, 1)
            event.wait()
            del event
        if turn % 2000 == 0:  # each makes the stand-in slower
            passing = cuda.stream()
            nothing[1, 32, passing](y, 1)
            del passing
        if turn % 50 == 0:
            cuda.synchronize()
            clear_trace()
    cuda.synchronize()
    clear_trace()
    gc.collect()
    cuda.current_context().deallocations.clear()

class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("allocations", "frees", "locks")]

counting, counts = ctypes.CDLL(None), Counts()
work(4000)
before = counted()
counting.fakeCudaCountingBegin()
work(count)
counting.fakeCudaCountingEnd(ctypes.byref(counts))
assert counted() == before, (before, counted())
kept = counts.allocations - counts.frees
assert kept < 500, kept
"""
OF_THE_STAND_IN = """
from fake import clear_trace

def counted():
    return {kind: fake.live_count(kind) for kind in "context stream event module device pinned".split()}
"""
OF_NO_DRIVER = "clear_trace = counted = lambda: None"


def run_counted(driver, names, times):
    counting = runs.LIBRARIES / "libfakedriver_counting.so"
    if not (counting.exists() and (driver / "libcuda.so.1").exists()):
        pytest.skip("the counting of allocations is not built: ./dev build")
    command = [sys.executable, "-c", names + WORK, str(times)]
    settings = {"LD_LIBRARY_PATH": str(driver), "LD_PRELOAD": str(counting), "FAKE_CUDA_KERNEL_RACES": "0"}
    result = processes.run(command, 600, runs.environment(**settings))
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


def test_launches_leak_nothing():
    """Resources of the driver, and allocations of this process beyond what it has freed, but for the stand-in's own."""
    run_counted(runs.LIBRARIES, "import fake" + OF_THE_STAND_IN, 50000)


@pytest.mark.deep
def test_a_million_launches_leak_nothing():
    """Allocations of this process beyond what it has freed, on the driver that does nothing (bench/nulldriver)."""
    run_counted(runs.LIBRARIES.parents[1] / "bench/nulldriver", OF_NO_DRIVER, 1000000)
