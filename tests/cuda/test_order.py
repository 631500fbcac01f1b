"""Memory, streams and events of the CUDA device live until the work that uses them has run, and no longer.

The stand-in runs work as late as it may and ends the process at the first two accesses that nothing orders.
"""

import pytest
import runs
from gates import gated

SEEDS = ["1", "2", "3"]


@pytest.mark.parametrize("reuse", ["0", "1"])
@pytest.mark.parametrize("seed", SEEDS)
def test_memory_that_a_stream_uses_is_not_handed_out(seed, reuse):
    """`k[g, b, s](a); del a; b = device_array(same)`, for streams that nothing orders."""
    runs.run("""
first, second = cuda.stream(nonblocking=True), cuda.stream(nonblocking=True)
for turn in range(40):
    a = cuda.to_device(np.full(256, turn, np.float32), stream=first)
    add[1, 256, first](a, 1)
    del a
    b = cuda.to_device(np.full(256, -turn, np.float32), stream=second)
    add[1, 256, second](b, 1)
    c = cuda.device_array(256, np.float32, stream=second)
    assign[1, 256, second](c, b)
    del b
    if turn % 3 == 0:
        cuda.current_context().deallocations.clear()
    assert (c.copy_to_host(stream=second) == 1 - turn).all()
    del c
cuda.synchronize()
""", FAKE_CUDA_SEED=seed, FAKE_CUDA_REUSE=reuse)  # fmt: skip


def test_a_stream_gets_its_own_memory_back_at_once_and_others_do_not():
    gated("""
gate, other = Gate(), cuda.stream(nonblocking=True)
a = cuda.device_array(1000, np.float32, stream=gate.stream)
add[4, 256, gate.stream](a, 1)
place = address(a)
del a
context.deallocations.clear()
elsewhere = [cuda.device_array(1000, np.float32, stream=stream) for stream in (0, other)]
assert place not in map(address, elsewhere)
own = cuda.device_array(1000, np.float32, stream=gate.stream)
assert address(own) == place
del own
context.deallocations.clear()
gate.open()
assert address(cuda.device_array(1000, np.float32, stream=other)) == place
""")  # fmt: skip


def test_memory_used_on_two_streams_waits_for_both():
    gated("""
one, two = Gate(), Gate()
a, b = zeros(1000), zeros(1000)
assign[4, 256, one.stream](b, a)
c = zeros(1000)
assign[4, 256, two.stream](c, a)
place = address(a)
del a
for gate in (one, two):
    context.deallocations.clear()
    held = [cuda.device_array(1000, np.float32) for _ in range(3)]
    assert place not in map(address, held)
    del held
    gate.open()
context.deallocations.clear()
held = [cuda.device_array(1000, np.float32) for _ in range(12)]
assert place in map(address, held)
""")  # fmt: skip


def test_a_new_owner_on_another_stream_waits_for_the_earlier_use():
    """A block is handed out on the stream that still uses it; work on another stream then follows that use."""
    runs.run("""
first, second = cuda.stream(nonblocking=True), cuda.stream(nonblocking=True)
for turn in range(10):
    a = cuda.device_array(256, np.float32, stream=first)
    assign[1, 256, first](a, cuda.to_device(np.full(256, turn, np.float32), stream=first))
    del a
    cuda.current_context().deallocations.clear()
    b = cuda.device_array(256, np.float32, stream=first)
    source = cuda.to_device(np.full(256, -1, np.float32), stream=second)
    assign[1, 256, second](b, source)
    assert (b.copy_to_host(stream=second) == -1).all()
    del b
cuda.synchronize()
""")  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_captured_arrays_live_until_the_launch_has_run(seed):
    gated("""
def kernel(value):
    table = cuda.to_device(np.full(100, value, np.float32))

    @cuda.jit
    def add_table(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += table[i]

    return add_table, table

x = zeros()
stream = cuda.stream(nonblocking=True)
for value in range(6):
    add_table, table = kernel(value)
    add_table[1, 128, stream](x)
    add[1, 1, stream](x, 0)
    del add_table, table
    gc.collect()
    context.deallocations.clear()
    others = [cuda.to_device(np.full(100, -1, np.float32)) for _ in range(12)]
    del others
assert (x.copy_to_host(stream=stream) == 0 + 1 + 2 + 3 + 4 + 5).all()
""", FAKE_CUDA_SEED=seed)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_memory_is_not_freed_while_a_stream_uses_it(seed):
    """Freeing is a call that waits for the device, so a trim leaves what is in use."""
    gated("""
memory.trim()
gate = Gate()
a = cuda.device_array(1 << 18, np.float32, stream=gate.stream)
add[1024, 256, gate.stream](a, 1)
del a
with fake.trace() as busy:
    context.deallocations.clear()
    memory.trim()
assert busy.of("cuMemFree") == []
gate.open()
with fake.trace() as idle:
    memory.trim()
assert len(idle.of("cuMemFree")) >= 1, idle.names
""", FAKE_CUDA_SEED=seed, FAKE_CUDA_KERNEL_RACES="0")  # fmt: skip


@pytest.mark.parametrize("kind", ["pinned_array", "mapped_array", "managed_array"])
def test_memory_that_the_host_sees_is_not_freed_while_a_stream_uses_it(kind):
    gated(f"""
gate = Gate()
array = cuda.{kind}(100, np.float32)
array[:] = 1
device = cuda.device_array(100, np.float32)
assign[1, 128, gate.stream](device, array)
del array
gc.collect()
with fake.trace() as busy:
    context.deallocations.clear()
    memory.trim()
assert not [name for name in busy.names if "Free" in name], busy.names
gate.open()
with fake.trace() as idle:
    context.deallocations.clear()
assert len([name for name in idle.names if "Free" in name]) == 1, idle.names
assert (device.copy_to_host() == 1).all()
""")  # fmt: skip


def test_pinned_memory_may_be_dropped_and_changed_after_a_copy_that_is_queued():
    """The copy has its contents of the moment of the call."""
    gated("""
gate = Gate()
array = cuda.pinned_array(100, np.float32)
array[:] = 1
device = cuda.device_array(100, np.float32)
device.copy_to_device(array, stream=gate.stream)
array[:] = 2
del array
gc.collect()
context.deallocations.clear()
gate.open()
assert (device.copy_to_host() == 1).all()
""")


def test_a_stream_that_is_dropped_runs_what_it_was_given():
    runs.run("""
import gc
arrays = [zeros() for _ in range(20)]
cuda.synchronize()
for array in arrays:
    stream = cuda.stream(nonblocking=True)
    add[1, 128, stream](array, 1)
    add[1, 128, stream](array, 1)
    del stream
    gc.collect()
cuda.synchronize()
assert all((array.copy_to_host() == 2).all() for array in arrays)
add[1, 128](arrays[0], 1)  # the last launcher has held the last stream
cuda.current_context().deallocations.clear()
assert fake.live("stream") == [], fake.live("stream")
""")  # fmt: skip


def test_a_dropped_stream_is_still_waited_for():
    """By the legacy default stream if it is a blocking one, and by the reuse of memory it uses."""
    gated("""
stream, x, y = cuda.stream(), zeros(), zeros()
add[1, 128, stream](x, 1)
add[1, 128](y, 1)
del stream
gc.collect()
context.deallocations.clear()
assign[1, 128](y, x)
place = address(x)
del x
context.deallocations.clear()
held = [cuda.to_device(np.full(100, 5, np.float32)) for _ in range(12)]
assert (y.copy_to_host() == 1).all()
""")  # fmt: skip


def test_events_are_recorded_again_only_when_nothing_refers_to_them():
    gated("""
one, two = Gate(), Gate()
with fake.trace() as busy:
    events = []
    for gate in (one, two) * 8:
        event = cuda.event()
        event.record(gate.stream)
        events.append(event)
assert not any(event.query() for event in events)
handles = [call.arguments["event"] for call in busy.of("cuEventRecord")]
assert len(set(handles)) == len(handles)
one.open()
assert [event.query() for event in events] == [True, False] * 8
two.open()
assert all(event.query() for event in events)
del events, event
made = fake.calls_of("cuEventCreate")
for _ in range(100):
    event = cuda.event()
    event.record(one.stream)
    event.synchronize()
assert fake.calls_of("cuEventCreate") == made
""")  # fmt: skip


def test_an_event_recorded_again_keeps_earlier_waits():
    gated("""
gate, follower = Gate(), cuda.stream(nonblocking=True)
x = cuda.device_array(100, np.float32, stream=gate.stream)
y = cuda.device_array(100, np.float32, stream=gate.stream)
event = cuda.event(timing=False)
source = cuda.to_device(np.full(100, 3, np.float32), stream=follower)
assign[1, 128, gate.stream](x, source)
event.record(gate.stream)
event.wait(follower)
other = cuda.stream(nonblocking=True)
event.record(other)
event.record(other)
add[1, 128, follower](x, 1)
gate.open()
assert (x.copy_to_host(stream=follower) == 4).all()
""")  # fmt: skip


def test_the_time_between_events_is_that_of_their_own_records():
    gated("""
stream, x = cuda.stream(), zeros()
first, second = cuda.event(), cuda.event()
first.record(stream)
add[1, 128, stream](x, 1)
second.record(stream)
for _ in range(20):
    later = cuda.event()
    later.record(stream)
stream.synchronize()
assert cuda.event_elapsed_time(first, second) >= 0
assert cuda.event_elapsed_time(second, first) <= 0
""")  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_eight_threads_launch_at_once(seed):
    """On streams of their own and on default streams; each has its own array."""
    runs.run("""
import threading
arrays = [cuda.to_device(np.zeros(64, np.float32)) for _ in range(8)]
cuda.synchronize()
problems = []

def work(number):
    try:
        kind = number % 4
        stream = [lambda: 0, cuda.per_thread_default_stream, cuda.stream,
                  lambda: cuda.stream(nonblocking=True)][kind]()
        for turn in range(50):
            add[2, 32, stream](arrays[number], 1)
            fresh = cuda.device_array(64, np.float32, stream=stream)
            assign[2, 32, stream](fresh, arrays[number])
            if turn % 10 == 9:
                found = fresh.copy_to_host(stream=stream)
                assert (found == turn + 1).all(), (number, turn, found)
            del fresh
    except BaseException as error:
        problems.append(error)

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not problems, problems
cuda.synchronize()
assert all((array.copy_to_host() == 50).all() for array in arrays)
""", FAKE_CUDA_SEED=seed, timeout=120)  # fmt: skip
