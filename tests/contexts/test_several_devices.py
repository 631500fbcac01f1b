"""Several devices in one process: what is made on which, what is refused, and what one does to the other."""

import re
from pathlib import Path

import pytest
from several import SETTINGS

pytestmark = pytest.mark.parametrize("several", SETTINGS, indirect=True)


def test_the_current_device_of_a_thread(several):
    several("""
def current():
    return cuda.get_current_device().id

with cuda.gpus[1]:
    assert current() == cuda.gpus.current.id == 1
    with cuda.gpus[0]:
        with cuda.gpus[1]:
            assert current() == 1
        assert current() == 0
        assert cuda.to_device([1.0])._ordinal == 0
    assert current() == 1 and cuda.to_device([1.0])._ordinal == 1
assert current() == 0

def interrupted():
    with cuda.gpus[1]:
        with cuda.gpus[0]:
            raise KeyError(current())
try:
    interrupted()
except KeyError as error:
    assert error.args == (0,)
assert current() == 0

found = []
def work():
    found.append(current())
    with cuda.gpus[1]:
        found.append(current())
        inner = threading.Thread(target=lambda: found.append(current()))
        inner.start()
        inner.join()
    found.append(current())
with cuda.gpus[1]:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert current() == 1
assert found == [0, 1, 0, 0], found
""")


def test_arrays_of_the_wrong_device_are_refused_by_name(several):
    several("""
here, there = zeros(0), zeros(1)
advice = "call cuda.gpus[0].get_primary_context().enable_peer_access(1) once" if alike else "copy the array"
where = "the memory of another device, device 1, and the launch runs on device 0"
def launch(*arguments):
    return lambda: assign[1, 128](*arguments)
raises(ValueError, launch(there, here), "assign: argument 1 ('to')", where, advice)
raises(ValueError, launch(here, there), "assign: argument 2 ('source')", where, advice)
raises(ValueError, launch(np.zeros(100, np.float32), there), "assign: argument 2 ('source')", where)
raises(ValueError, launch(there, there), "argument 1 ('to')", where)
if not alike:
    assert not contexts[0].can_access_peer(1) and not contexts[1].can_access_peer(0)
    raises(ValueError, launch(here, there), "('source')", "copy the array to this device (copy_to_device)")
    for context, peer in ((contexts[0], 1), (contexts[1], 0)):
        raises(errors.CudaAPIError, lambda: context.enable_peer_access(peer), "copy arrays", code=217)

@cuda.jit
def nested(first, pair, *more):
    i = cuda.grid(1)
    if i < pair[1].size:
        pair[1][i] = more[1][i] + first
raises(ValueError, lambda: nested[1, 128](1, (2, there), here, here), "nested: argument 2 ('pair')")
raises(ValueError, lambda: nested[1, 128](1, (2, here), here, there), "nested: argument 4 ('more')")
nested[1, 128](1, (2, here), here, here)
assert holds(here, 1) and holds(there, 0)

with cuda.gpus[1]:
    stream = cuda.stream()
raises(ValueError, lambda: add[1, 128, stream](here, 1), "('x')", "device 0, and the launch runs on device 1, whose "
       "stream it names")
raises(ValueError, lambda: here.copy_to_host(stream=stream), "the stream is one of another device, device 1")
raises(ValueError, lambda: cuda.event().record(stream), "the event is one of device 0, and the stream one of device 1")
add[1, 128, stream](there, 1)   # launches are made on the device of the stream that they name
stream.synchronize()
assert holds(there, 1)
""")


def test_kernels_are_made_for_each_device_once(several):
    several("""
table = np.arange(100, dtype=np.float32)

@cuda.jit
def look_up(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += table[i]

arrays = [zeros(0), zeros(1)]
for turn in range(3):
    for device, array in enumerate(arrays):
        with cuda.gpus[device]:
            look_up[1, 128](array)
    assert len(look_up.overloads) == 1
for array in arrays:
    assert (array.copy_to_host() == 3 * table).all()
table[:] = 1    # a captured array is a constant
with cuda.gpus[1]:
    look_up[1, 128](arrays[1])
assert arrays[1].copy_to_host()[9] == 36
""")


def test_captured_device_arrays(several):
    several("""
there = on(1, np.arange(100))

@cuda.jit
def captures(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += there[i]

here, own = zeros(0), zeros(1)
raises(ValueError, lambda: captures[1, 128](here), "captures: an array that it captured lies in the memory of another "
       "device, device 1, and the launch runs on device 0")
with cuda.gpus[1]:
    captures[1, 128](own)
assert own.copy_to_host()[7] == 7
if alike:
    contexts[0].enable_peer_access(1)
    captures[1, 128](here)
    assert here.copy_to_host()[7] == 7
    second.reset()
    raises(errors.CudaAPIError, lambda: captures[1, 128](here), "captured was reset", code=709)
""")


def test_arrays_are_dropped_whatever_is_current(several):
    several("""
assert live() == [0, 0]
arrays = [zeros(device) for device in (0, 1)]
streams = []
for device in (0, 1):
    with cuda.gpus[device]:
        streams.append(cuda.stream())
        add[1, 128, streams[-1]](arrays[device], 1)
assert live() == [1, 1]
with cuda.gpus[1]:
    del arrays[0]
    assert live() == [0, 1]
def drop():    # on a thread that has used no device
    arrays.clear()
    streams.clear()
    gc.collect()
thread = threading.Thread(target=drop)
thread.start()
thread.join()
assert live() == [0, 0]
for context in contexts:
    context.deallocations.clear()
    context.memory_manager.trim()
    figures = context.memory_manager.figures()
    context.synchronize()
    context.memory_manager.trim()
    assert context.memory_manager.figures()["cached_count"] == 0
""")


def test_eight_threads_on_two_devices(several):
    several("""
made = threading.Barrier(8)
wrong = []
def work(number):
    try:
        device = number % 2
        other = 1 - device
        with cuda.gpus[device]:
            made.wait()
            stream, event, array = cuda.stream(), cuda.event(), cuda.to_device(np.zeros(256, np.float32))
            for turn in range(12):
                add[2, 128, stream](array, 1)
                event.record(stream)
                with cuda.gpus[other]:   # in between on the other device
                    scratch = cuda.to_device(np.full(64, turn, np.float32))
                    add[1, 64](scratch, number)
                    assert holds(scratch, turn + number)
                event.wait(stream)
                launch = add.bind(2, 128, stream, array, 1)
                launch()
            event.synchronize()
            stream.synchronize()
            assert holds(array, 24), array.copy_to_host()
            assert cuda.get_current_device().id == device
    except BaseException as error:
        wrong.append(repr(error))
        made.abort()
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong
cuda.synchronize()
assert live() == [0, 0]
""")


COPIES = """
def pattern(shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)

for source, target in ((0, 1), (1, 0)):
    for current in (0, 1):
        with cuda.gpus[current]:
            for shape in ((5,), (4, 6), (70_000,), (3, 4, 5), (0,), ()):
                given, taken = on(source, pattern(shape)), on(target, np.zeros(shape))
                taken.copy_to_device(given)
                assert (taken.copy_to_host() == pattern(shape)).all(), shape
            given.copy_to_host(taken)
            # With strides on both sides: rows, columns, steps backwards, order F, few and many rows.
            host, model = pattern((40, 30)), np.zeros((40, 30), np.float32)
            far, near = on(source, host), on(target, model)
            for place in (np.s_[::2, 1:20], np.s_[:, ::3], np.s_[1:3, :], np.s_[::-1, 5], np.s_[7, ::-2]):
                near[place] = far[place]
                model[place] = host[place]
                assert (near.copy_to_host() == model).all(), place
            near[:30, :30] = far[:30, :30].T
            model[:30, :30] = host[:30, :30].T
            assert (near.copy_to_host() == model).all()
            near[...] = far[0]     # broadcast
            assert (near.copy_to_host() == host[0]).all()
            wide, deep = pattern((3, 40_000)), np.zeros((3, 60_000), np.float32)
            far, near = on(source, wide), on(target, deep)
            near[:, 10_000:50_000] = far
            assert (near.copy_to_host()[:, 10_000:50_000] == wide).all() and near[2, 9_999] == 0
"""


def test_copies_between_devices(several):
    several(COPIES)


def test_copies_are_in_the_order_of_their_streams(several):
    several("""
for source, target in ((0, 1), (1, 0)):
    given, taken = zeros(source, 5000), zeros(target, 5000)
    with cuda.gpus[source]:
        busy, apart = cuda.stream(), cuda.stream(nonblocking=True)
        add[40, 128, busy](given, 1)
        add[40, 128, busy](given, 1)
        busy_event = cuda.event()
        busy_event.record(busy)
        busy_event.wait(apart)
        add[40, 128, apart](given, 2)
    with cuda.gpus[target]:
        stream = cuda.stream()
        add[40, 128, stream](taken, 7)
        taken.copy_to_device(given, stream=stream)    # after what both streams of the source do with it
    with cuda.gpus[source]:
        add[40, 128](given, 100)                      # and ahead of what comes later
        last = cuda.to_device(np.zeros(5000, np.float32))
        given.copy_to_device(last)
    with cuda.gpus[target]:
        add[40, 128, stream](taken, 1)
        assert (taken.copy_to_host(stream=stream) == 5).all(), taken.copy_to_host()
    assert holds(given, 0)
    del given, last
""")


def test_an_event_of_another_device_is_waited_for(several):
    several("""
here, there = zeros(0, 1000), zeros(1, 1000)
with cuda.gpus[1]:
    stream, event, begin = cuda.stream(), cuda.event(), cuda.event()
    begin.record(stream)
    add[8, 128, stream](there, 1)
    event.record(stream)
own = cuda.stream()
event.wait(own)
add[8, 128, own](here, 1)
mark = cuda.event()
mark.record(own)
with cuda.gpus[1]:
    mark.wait(stream)
    add[8, 128, stream](there, 1)
    stream.synchronize()
assert event.query() and mark.query()
assert holds(here, 1) and holds(there, 2)
for pair in ((event, mark), (mark, event)):
    raises(errors.CudaAPIError, lambda: pair[0].elapsed_time(pair[1]), "the events are of devices", code=400)
event.synchronize()
assert begin.elapsed_time(event) >= 0    # with another device current
""")


def test_after_a_reset_of_one_device_events_of_the_other_are_waited_for(several):
    """The two then count their resets differently."""
    several("""
second.reset()
second.reset()
here, there = zeros(0, 1000), zeros(1, 1000)
for this, other, array in ((0, 1, there), (1, 0, here)):
    with cuda.gpus[other]:
        stream, event = cuda.stream(), cuda.event()
        for _ in range(3):
            add[8, 128, stream](array, 1)
        event.record(stream)
    with cuda.gpus[this]:
        waiting, mark = cuda.stream(), cuda.event()
        event.wait(waiting)
        mark.record(waiting)
        mark.synchronize()
        assert event.query()
        event.wait()
    assert holds(array, 3)
with cuda.gpus[1]:
    stream, event = cuda.stream(), cuda.event()
    add[8, 128, stream](there, 1)
    event.record(stream)
second.reset()
raises(errors.CudaAPIError, lambda: event.wait(cuda.stream()), code=709)
""")


def test_a_reset_leaves_the_other_device_alone(several):
    several("""
captured = on(0, np.full(100, 3))

@cuda.jit
def captures(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += captured[i]

arrays = [zeros(0), zeros(1)]
streams, graphs = [], []
for device in (0, 1):
    with cuda.gpus[device]:
        streams.append(cuda.stream())
        add[1, 128, streams[device]](arrays[device], 0)
        streams[device].synchronize()
        with cuda.graph(streams[device]) as graph:
            add[1, 128](arrays[device], 1)
        graphs.append(graph)
captures[1, 128](arrays[0])
bound = add.bind(1, 128, 0, arrays[0], 1)
bound()
add[1, 128, streams[0]](arrays[0], 1)    # under way while the other device is reset
second.reset()
bound()
captures[1, 128](arrays[0])
graphs[0].replay()
add[1, 128, streams[0]](arrays[0], 1)
streams[0].synchronize()
assert holds(arrays[0], 3 + 1 + 1 + 1 + 3 + 1 + 1)
raises(errors.CudaAPIError, lambda: graphs[1].replay(), "was reset", code=709)
with cuda.gpus[1]:
    raises(errors.CudaAPIError, lambda: add[1, 128](arrays[1], 1), code=709)
    raises(errors.CudaAPIError, lambda: add[1, 128, streams[1]](cuda.device_array(4, np.float32), 1), code=709)
    fresh = zeros(1)
    add[1, 128](fresh, 2)
    assert holds(fresh, 2)
assert live() == [2, 1]
""")


def test_bound_launches_and_graphs_stay_on_their_device(several):
    several("""
arrays = [zeros(0), zeros(1)]
bound, graphs = [], []
for device in (0, 1):
    with cuda.gpus[device]:
        stream = cuda.stream()
        bound.append(add.bind(1, 128, stream, arrays[device], 1))
        bound[-1]()
        stream.synchronize()
        with cuda.graph(stream) as graph:
            add[1, 128](arrays[device], 10)
        graphs.append(graph)
for current in (0, 1):
    with cuda.gpus[current]:
        for launch, graph in zip(bound, graphs):
            launch()
            graph.replay()
with cuda.gpus[1]:
    other = cuda.stream()
raises(ValueError, lambda: graphs[0].replay(other), "the stream is one of another device than the graph")
for context in contexts:
    context.synchronize()
assert holds(arrays[0], 23) and holds(arrays[1], 23), [array.copy_to_host()[0] for array in arrays]

# A default stream is that of the thread's device, which the array must be on.
default = add.bind(1, 128, 0, arrays[0], 1)
default()
with cuda.gpus[1]:
    raises(ValueError, default, "argument 1 ('x') lies in the memory of another device, device 0")
default()
assert holds(arrays[0], 25)
bound[0][0] = arrays[1]
raises(ValueError, bound[0], "argument 1 ('x') lies in the memory of another device, device 1")
assert holds(arrays[1], 23)
""")


def test_callbacks_and_host_memory_with_another_device_current(several):
    several("""
with cuda.gpus[1]:
    stream, there = cuda.stream(), zeros(1)
    pinned, mapped, managed = cuda.pinned_array(100, np.float32), cuda.mapped_array(100), cuda.managed_array(100)
called = []
done = threading.Event()
add[1, 128, stream](there, 1)
stream.add_callback(lambda *_: (called.append(cuda.get_current_device().id), done.set()))
stream.synchronize()
assert done.wait(60) and len(called) == 1
pinned[:] = 5
there.copy_to_device(pinned, stream=stream)
stream.synchronize()
assert holds(there, 5)
del pinned, mapped, managed, stream, there
gc.collect()
for context in contexts:
    context.deallocations.clear()
assert live() == [0, 0]
assert cuda.get_current_device().id == 0
""")


def test_the_program_of_the_page(several, tmp_path):
    page = Path(__file__).resolve().parents[2] / "docs/devices.md"
    [program] = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    path = tmp_path / "page.py"  # kernels are read from their files
    path.write_text(program)
    several(f"""
import runpy
made = runpy.run_path({str(path)!r})
assert (made["x"].copy_to_host() == (4 if alike else 2)).all() and (made["y"].copy_to_host() == 2).all()
""")


def test_a_capture_over_both_devices(several):
    several("""
if alike:
    streams, events, arrays = [], [], [zeros(0), zeros(1)]
    for device, array in enumerate(arrays):
        with cuda.gpus[device]:
            streams.append(cuda.stream())
            events.append(cuda.event())
            add[1, 128, streams[device]](array, 0)
            streams[device].synchronize()
    with cuda.graph(streams[0]) as graph:
        add[1, 128](arrays[0], 1)
        events[0].record(streams[0])
        with second:
            events[0].wait(streams[1])
            add[1, 128, streams[1]](arrays[1], 1)
            events[1].record(streams[1])
        events[1].wait(streams[0])
        add[1, 128](arrays[0], 1)
    for _ in range(3):
        graph.replay()
    streams[0].synchronize()
    assert holds(arrays[0], 6) and holds(arrays[1], 3)
    arrays.pop()
    assert live() == [1, 1], "the graph keeps it"
    graph.replay()
    streams[0].synchronize()
    assert holds(arrays[0], 8)
""")
