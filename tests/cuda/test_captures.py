# Graphs that other software captures while Treadle launches into its streams.

import pytest
from capturing import run


@pytest.mark.parametrize("flags", [0, 1], ids=["blocking", "non-blocking"])
@pytest.mark.parametrize("mode", [0, 1, 2], ids=["global", "thread-local", "relaxed"])
def test_launches_become_nodes_of_the_graph(flags, mode):
    run(f"""
theirs = Theirs({flags}, {mode})
with theirs as stream:
    add[1, 128, stream](x, 1)
    add[1, 128, stream](x, 2)
theirs.replay(3)
assert fetched(x) == 9
stream.synchronize()
assert x.copy_to_host(stream=stream)[0] == 9
add[1, 128, stream](x, 1)
assert x.copy_to_host(stream=stream)[0] == 10
theirs.end()
""")


@pytest.mark.parametrize("flags", [0, 1], ids=["blocking", "non-blocking"])
def test_memory_and_kernels_are_made_and_dropped_during_a_capture(flags):
    run(f"""
@cuda.jit
def fresh(to, source):
    i = cuda.grid(1)
    if i < to.size:
        to[i] = source[i] + 5

theirs = Theirs({flags})
other = cuda.stream(nonblocking=True)
y = zeros(stream=other)
with theirs as stream:
    between = cuda.device_array(1 << 18, np.float32, stream=stream)[:100]
    fresh[1, 128, stream](between, x)
    assign[1, 128, stream](x, between)
    del between
    add[1, 128, other](y, 3)
    assert y.copy_to_host(stream=other)[0] == 3
    for _ in range(30):
        cuda.device_array(1 << 16, stream=other)
    cuda.current_context().memory_manager.trim()
    assert cuda.pinned_array(10)[0] is not None
theirs.replay(2)
assert fetched(x) == 10
theirs.end()
""")


def test_what_captures_forbid_is_not_done_where_the_driver_does_not_relax_them():
    run("""
theirs = Theirs()
@cuda.jit
def fresh(x):
    x[0] = 7

with theirs as stream:
    add[1, 128, stream](x, 1)
    attempts = (lambda: cuda.device_array(1 << 20), lambda: cuda.pinned_array(10), lambda: fresh[1, 1, stream](x))
    for attempt in attempts:
        fake.inject("cuThreadExchangeStreamCaptureMode", fake.UNKNOWN)
        try:
            attempt()
        except errors.CudaAPIError as error:
            assert error.code == 999
        else:
            raise AssertionError("it raises nothing")
    fresh[1, 1, stream](x)
theirs.replay(1)
call("cuCtxSynchronize")
assert x.copy_to_host()[:2].tolist() == [7, 1], x.copy_to_host()[:2]
theirs.end()
""")


def test_a_graph_keeps_what_it_uses_until_it_is_destroyed():
    run("""
theirs = Theirs()
figures = cuda.current_context().memory_manager.figures
with theirs as stream:
    large = cuda.device_array(1 << 20, np.uint8, stream=stream)
    add[1, 128, stream](large, 1)
    del large
gc.collect()
assert figures()["live_bytes"] >= 1 << 20
others = [cuda.device_array(1 << 20, np.uint8) for _ in range(8)]
theirs.replay(3)
call("cuStreamSynchronize", theirs.stream)
del others
assert figures()["live_bytes"] >= 1 << 20
theirs.end()
zeros()  # looks what was dropped
gc.collect()
assert figures()["live_bytes"] < 1 << 20, figures()
""")


def test_what_would_wait_is_refused_and_leaves_the_capture_intact():
    run("""
theirs = Theirs()
host = np.zeros(100, np.float32)
with theirs as stream:
    add[1, 128, stream](x, 1)
    refused(stream.synchronize)
    refused(x.copy_to_host, None, stream)
    refused(x.copy_to_device, host, stream)
    refused(add[1, 128, stream], host, 1, text="launch on arrays of the host")
    cuda.synchronize()  # of the rest: nobody may ask about streams that others have, which may be gone
    add[1, 128, stream](x, 1)
theirs.replay()
assert fetched(x) == 2
theirs.end()
""")


def test_what_a_captured_stream_is_given_has_no_work_before_it():
    """That work is not in the graph, which may be replayed on another stream."""
    run("""
theirs = Theirs()
add[1, 128, cuda.external_stream(theirs.handle)](x, 1)
x.__dlpack__(stream=theirs.handle)
assert fake.pending(), "the stream's own order is enough"
with theirs:
    x.__dlpack__(stream=theirs.handle)
    assert not fake.pending()
theirs.end()
assert fetched(x) == 1
""")


def test_streams_of_others_may_be_gone():
    run("""
def use(program):
    theirs = Theirs()
    program(cuda.external_stream(theirs.handle))
    call("cuStreamSynchronize", theirs.stream)
    call("cuStreamDestroy_v2", theirs.stream)

class Shown:
    def __init__(self, array, stream):
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "version": 3, "stream": int(stream)}

event = cuda.event()
for use_of_it in (lambda stream: add[1, 128, stream](x, 1), lambda stream: event.record(stream),
                  lambda stream: add[1, 128](Shown(x, stream), 1), lambda stream: x.copy_to_host(stream=stream)):
    use(use_of_it)
    cuda.synchronize()
    cuda.default_stream().synchronize()
    event.synchronize()
    x.copy_to_host()
    add[1, 128](x, 1)
    cuda.current_context().deallocations.clear()
    gc.collect()
    cuda.synchronize()
assert fetched(x) == 6, fetched(x)
cuda.get_current_device().reset()
""")


def test_events_connect_streams_of_a_capture():
    run("""
theirs, ours = Theirs(), cuda.stream(nonblocking=True)
y = zeros(stream=ours)
fork, join = cuda.event(), cuda.event()
with theirs as stream:
    add[1, 128, stream](x, 1)
    fork.record(stream)
    fork.wait(ours)
    add[1, 128, ours](y, 5)
    join.record(ours)
    join.wait(stream)
    assign[1, 128, stream](x, y)
add[1, 128, ours](y, 1)
ours.synchronize()
theirs.replay()
assert fetched(x) == 6
theirs.end()
""")


def test_arrays_of_other_software_bring_their_stream():
    run("""
class Array:
    def __init__(self, array, stream):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}

theirs, ours = Theirs(), cuda.stream(nonblocking=True)
shown = Array(x, theirs.handle)
add[1, 128](shown, 0)
call("cuStreamSynchronize", theirs.stream)
with theirs as stream:
    add[1, 128](shown, 1)   # on the array's stream
    add[1, 128, ours](shown, 2)  # which joins it
theirs.replay(2)
assert fetched(x) == 6
theirs.end()
""")


def test_other_software_captures_a_stream_of_treadles():
    run("""
ours = cuda.stream(nonblocking=True)
theirs = Theirs()
theirs.stream = ctypes.c_void_p(ours.handle)
add[1, 128, ours](x, 1)
ours.synchronize()
with theirs:
    between = cuda.device_array(100, np.float32, stream=ours)
    assign[1, 128, ours](between, x)
    add[1, 128, ours](between, 10)
    assign[1, 128, ours](x, between)
    del between
    refused(ours.synchronize)
zeros()
theirs.replay(2)
add[1, 128, ours](x, 100)
assert x.copy_to_host(stream=ours)[0] == 121
theirs.end()
""")


def test_other_software_is_captured_in_a_graph_of_treadles():
    run("""
with cuda.graph() as graph:
    add[1, 128](x, 1)
    call("cuMemsetD8Async", ctypes.c_uint64(x.device_ctypes_pointer.value), 0, ctypes.c_size_t(400),
         ctypes.c_void_p(graph.stream.handle))
    add[1, 128](x, 2)
assert len(graph) == 3
add[1, 128](x, 50)
graph.replay()
assert x.copy_to_host()[0] == 2
""")


def test_a_graph_of_treadles_within_one_of_other_software():
    run("""
with cuda.graph() as graph:
    add[1, 128](x, 1)
theirs = Theirs()
with theirs as stream:
    graph.replay(stream)
    add[1, 128, stream](x, 10)
    graph.replay(stream)
del graph
gc.collect()
theirs.replay(2)
assert fetched(x) == 24
theirs.end()
""")


def test_a_blocking_stream_that_is_captured_is_spared_by_the_default_stream():
    run("""
theirs = Theirs(0)
y = zeros()
with theirs as stream:
    add[1, 128, stream](x, 0)
    theirs.end = lambda: None
call("cuStreamSynchronize", theirs.stream)
add[1, 128](y, 1)  # nobody has asked yet whether it has run
with theirs as stream:
    add[1, 128, stream](x, 1)
    for _ in range(30):
        cuda.device_array(1 << 16, stream=stream)
    with cuda.graph() as graph:
        add[1, 128](x, 1)
theirs.replay()
assert fetched(x) == 1
theirs.end()
""")


def test_a_stream_that_does_not_lead_back_is_an_error():
    run(
        """
main, side, fork = cuda.stream(), cuda.stream(), cuda.event()
graph = cuda.graph(main)
graph.__enter__()
fork.record(main)
fork.wait(side)
add[1, 128, side](x, 1)
try:
    graph.__exit__(None, None, None)
except errors.CudaAPIError as error:
    assert error.code == 904, error
else:
    raise AssertionError
for stream in (main, side):
    add[1, 128, stream](x, 1)
    stream.synchronize()
assert x.copy_to_host()[0] == 2
""",
        FAKE_CUDA_ALLOW="capture-unjoined",
    )


def test_old_drivers_load_no_kernels_in_captures():
    run(
        """
@cuda.jit
def fresh(x):
    x[0] += 1

theirs = Theirs()
with theirs as stream:
    refused(fresh[1, 1, stream], x)
    wide = cuda.device_array((10, 20), np.float32, stream=stream)
    refused(wide[:, ::2]._copy_from, wide[:, 1::2], stream)
    add[1, 128, stream](x, 1)
theirs.replay()
assert fetched(x) == 1
theirs.end()
""",
        FAKE_CUDA_VERSION="12020",
    )


def test_arrays_whose_stream_is_not_captured():
    """The host waits for what their library has queued, and its stream does not join."""
    run("""
class Array:
    def __init__(self, array, stream):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}

theirs = Theirs()
shown = cuda.as_cuda_array(Array(x, theirs.handle))
call("cuMemsetD8Async", ctypes.c_uint64(x.device_ctypes_pointer.value), 0, ctypes.c_size_t(400), theirs.stream)
y = zeros()
with cuda.graph() as graph:
    add[1, 128](shown, 1)
    call("cuMemsetD8Async", ctypes.c_uint64(y.device_ctypes_pointer.value), 1, ctypes.c_size_t(400), theirs.stream)
assert len(graph) == 1
call("cuMemsetD8Async", ctypes.c_uint64(x.device_ctypes_pointer.value), 0, ctypes.c_size_t(400), theirs.stream)
call("cuStreamSynchronize", theirs.stream)
graph.replay()
assert x.copy_to_host()[0] == 1
""")


def test_a_graph_that_is_dropped_while_it_runs():
    run(
        """
stream = cuda.stream()
with cuda.graph(stream) as graph:
    between = cuda.device_array(100, np.float32)
    assign[1, 128](between, x)
    add[1, 128](between, 1)
    assign[1, 128](x, between)
    del between
for _ in range(5):
    graph.replay()
del graph
gc.collect()
large = cuda.device_array(1 << 22, np.float64, stream=stream)  # drops what is unused
assert fake.live("graph-exec")  # its work has not run yet
others = [cuda.device_array(100, np.float32, stream=stream) for _ in range(4)]
assert x.copy_to_host(stream=stream)[0] == 5
assert not fake.live("graph-exec") or (cuda.synchronize(), gc.collect(), not fake.live("graph-exec"))[-1]
""",
        FAKE_CUDA_QUERIES="9",
    )


def test_grids_that_synchronise_in_a_graph():
    run("""
@cuda.jit
def together(x):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    x[i] += 1
    grid.sync()
    if i == 0:
        x[0] = x[x.size - 1]

y = cuda.to_device(np.zeros(64, np.int32))
together[2, 32](y)
with cuda.graph() as graph:
    together[2, 32](y)
    together[2, 32](y)
for _ in range(3):
    graph.replay()
together[2, 32](y)
assert (y.copy_to_host() == 8).all()
""")


def test_callbacks_of_a_graph_live_with_it():
    run(
        """
import threading
called = threading.Semaphore(0)
with cuda.graph() as graph:
    add[1, 128](x, 1)
    graph.stream.add_callback(lambda *_: called.release())
    gc.collect()
for _ in range(3):
    graph.replay(graph.stream)
    graph.stream.synchronize()
    assert called.acquire(timeout=10)
""",
        FAKE_CUDA_PATIENCE_MS="20",
    )


def test_callbacks_of_a_graph_that_is_dropped():
    run(
        """
import threading
called = threading.Semaphore(0)
stream = cuda.stream()
with cuda.graph(stream) as graph:
    add[1, 128](x, 1)
    stream.add_callback(lambda *_: called.release())
for _ in range(3):
    graph.replay()
del graph
gc.collect()
filler = [(object(), object(), object()) for _ in range(1000)]
stream.synchronize()
for _ in range(3):
    assert called.acquire(timeout=10)
""",
        FAKE_CUDA_QUERIES="5",
    )


def test_checks_in_a_graph_are_read_behind_each_replay():
    run("""
@cuda.jit(debug=True, opt=False)
def checked(x, i):
    x[i] += 1

checked[1, 1](x, 0)
with cuda.graph() as graph:
    checked[1, 1](x, 100)
stream = cuda.stream()
for _ in range(2):
    graph.replay(stream)
    try:
        stream.synchronize()
    except IndexError:
        continue
    raise AssertionError
checked[1, 1](x, 0)
""")


@pytest.mark.parametrize("function", ["cuUserObjectCreate", "cuGraphRetainUserObject"])
def test_what_cannot_be_kept_is_not_launched(function):
    run(
        """
figures = cuda.current_context().memory_manager.figures
before = figures()["live_count"]
theirs = Theirs()
with theirs as stream:
    fresh = cuda.device_array(100, np.float32, stream=stream)
    fake.inject(FUNCTION, fake.OUT_OF_MEMORY)
    try:
        add[1, 128, stream](fresh, 1)
    except (MemoryError, errors.CudaAPIError):
        pass
    else:
        raise AssertionError
    fake.clear_faults()
    del fresh
    add[1, 128, stream](x, 1)
theirs.replay()
assert fetched(x) == 1
theirs.end()
cuda.synchronize()
gc.collect()
assert figures()["live_count"] == before
assert not fake.live("user-object")
""".replace("FUNCTION", repr(function))
    )
