"""Many launches, streams, events and arrays leave nothing behind."""

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

before = work(4)
assert work(40) == before, (before, fake.live_count("device"))
""")


LEAKS = """
import gc, resource, sys
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
        if turn % 500 == 0:
            cuda.synchronize()
            fake.clear_trace()
    cuda.synchronize()
    fake.clear_trace()
    gc.collect()
    cuda.current_context().deallocations.clear()

def counted():
    return {kind: fake.live_count(kind) for kind in "context stream event module device pinned".split()}

def kilobytes():
    return int(open("/proc/self/statm").read().split()[1]) * 4

work(2000)
before, size = counted(), kilobytes()
work(count)
assert counted() == before, (before, counted())
grown = kilobytes() - size
assert grown < 4096, grown
"""


def test_launches_leak_nothing():
    runs.run(LEAKS, "20000", FAKE_CUDA_KERNEL_RACES="0", timeout=200)


@pytest.mark.deep
def test_a_million_launches_leak_nothing():
    runs.run(LEAKS, "1000000", FAKE_CUDA_KERNEL_RACES="0", timeout=1200)
