"""Many launches, streams, events and arrays leave nothing behind."""

import os

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


LEAKS = """
import ctypes, gc, sys
count = int(sys.argv[1])
stream, x, y = cuda.stream(), zeros(32), zeros(32)

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
            passing = cuda.stream()
            nothing[1, 32, passing](y, 1)
            del passing, event
        if turn % 50 == 0:
            cuda.synchronize()
            fake.clear_trace()
    cuda.synchronize()
    fake.clear_trace()
    gc.collect()
    cuda.current_context().deallocations.clear()

def counted():
    return {kind: fake.live_count(kind) for kind in "context stream event module device pinned".split()}

class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("allocations", "frees", "locks")]

counting, counts = ctypes.CDLL(None), Counts()
work(2000)
before = counted()
counting.fakeCudaCountingBegin()
work(count)
counting.fakeCudaCountingEnd(ctypes.byref(counts))
assert counted() == before, (before, counted())
kept = counts.allocations - counts.frees
assert kept < 500, kept
"""


def count(times, timeout):
    """Resources of the driver, and allocations of this process beyond what it has freed, but for the stand-in's own."""
    counting = runs.LIBRARIES / "libfakedriver_counting.so"
    if not counting.exists():
        pytest.skip("the counting of allocations is not built: ./dev build")
    runs.run(LEAKS, str(times), LD_PRELOAD=str(counting), FAKE_CUDA_KERNEL_RACES="0", timeout=timeout)


def test_launches_leak_nothing():
    count(100000, 200)


@pytest.mark.skipif(os.environ.get("TREADLE_ALL_FAULTS") != "1", reason="where TREADLE_ALL_FAULTS=1 is set")
@pytest.mark.deep
def test_a_million_launches_leak_nothing():
    count(1000000, 1200)
