"""Two GPUs: what the driver is asked for, what it refuses, and what is left over.

The stand-in ends the process at a kernel that uses another GPU's memory without peer access.
"""

import runs
from two_gpus import run


def test_calls_of_launches_after_a_switch():
    run("""
for device, array in enumerate((here, there)):
    with cuda.gpus[device]:
        add[1, 128](array, 1)
plain = ["cuCtxGetCurrent", "cuLaunchKernelEx"]
changed = ["cuCtxGetCurrent", "cuCtxPushCurrent", "cuLaunchKernelEx", "cuCtxPopCurrent"]
assert names(lambda: add[1, 128](here, 1)) == plain
with cuda.gpus[1]:
    for _ in range(3):
        assert names(lambda: add[1, 128](there, 1)) == changed
assert names(lambda: cuda.select_device(1)) == []
cuda.select_device(0)
assert names(lambda: add[1, 128](here, 1)) == plain

contexts[0].enable_peer_access(1)
assert names(lambda: add[1, 128](here, 1)) == plain, "a peer costs nothing where it is not used"
apart = cuda.stream(nonblocking=True)
settle()
assign[1, 128, apart](here, there)
assert names(lambda: assign[1, 128, apart](here, there)) == plain
""")


def test_calls_of_a_launch_on_a_peers_memory():
    """One event each way, whatever the number of arrays."""
    run("""
contexts[0].enable_peer_access(1)

@cuda.jit
def both(x, y, z):
    x[0] += y[0] + z[0]

other = full(1, 2)
for _ in range(2):
    both[1, 1](here, there, other)
event = ["cuCtxGetCurrent", "cuEventRecord"]
assert names(lambda: both[1, 1](here, there, other)) == [
    "cuCtxGetCurrent", "cuCtxPushCurrent", "cuEventRecord", "cuCtxPopCurrent", "cuCtxGetCurrent", "cuStreamWaitEvent",
    "cuCtxGetCurrent", "cuLaunchKernelEx",
    "cuCtxGetCurrent", "cuEventRecord", "cuCtxGetCurrent", "cuCtxPushCurrent", "cuStreamWaitEvent", "cuCtxPopCurrent",
]
assert here.copy_to_host()[0] == 6
""")


def test_calls_of_copies():
    run("""
def copies(call):
    found = [name for name in names(call) if name.startswith(("cuMemcpy", "cuLaunch"))]
    return ["copy" if name == "cuMemcpyPeerAsync" else name for name in found]

ordered = ["cuCtxGetCurrent", "cuCtxPushCurrent", "cuEventRecord", "cuCtxPopCurrent", "cuCtxGetCurrent",
           "cuStreamWaitEvent"]
ahead = ["cuCtxGetCurrent", "cuCtxPushCurrent", "cuStreamWaitEvent", "cuCtxPopCurrent"]
event, wait = ["cuCtxGetCurrent", "cuEventRecord"], ["cuCtxGetCurrent", "cuEventQuery"]
copied = ["cuCtxGetCurrent", "cuMemcpyPeerAsync"]
here.copy_to_device(there)
assert names(lambda: here.copy_to_device(there)) == ordered + copied + event + wait * 3
queued = cuda.stream()
for _ in range(2):
    here.copy_to_device(there, stream=queued)
    found = names(lambda: here.copy_to_device(there, stream=queued))
assert found == ordered + copied + event + ahead, found
settle()
assert copies(lambda: here.copy_to_device(there)) == ["copy"]
stream = cuda.stream()
assert copies(lambda: (add[1, 128, stream](here, 1), here.copy_to_device(there, stream=stream)))[-1] == "copy"
assert copies(lambda: here.copy_to_host(there)) == ["copy"]
to, source = full(0, 0, (50, 60)), full(1, 3, (50, 60))
assert copies(lambda: to.__setitem__(np.s_[:3, 1:], source[3:6, 1:])) == ["copy"] * 3
pack = "cuLaunchKernelEx"
assert copies(lambda: to.__setitem__(np.s_[::2, ::2], source[::2, ::2])) == [pack, "copy", pack]
assert copies(lambda: to[:25, :30].__setitem__(..., source.reshape(100, 30)[:25])) == ["copy", pack]
assert copies(lambda: full(0, 0, (25, 30)).__setitem__(..., source[:25, :30]))[-2:] == [pack, "copy"]
assert (to.copy_to_host()[::2, ::2] == 3).all() and (to.copy_to_host()[:25, :30] == 3).all()
assert to.copy_to_host()[26:, 1::2].max() == 0
assert copies(lambda: full(0, 0, (0, 3)).copy_to_device(full(1, 0, (0, 3)))) == []
""")


def test_a_copy_is_one_call_for_all_bytes():
    run("""
with fake.trace() as traced:
    here.copy_to_device(there)
[copy] = traced.of("cuMemcpyPeerAsync")
assert copy.arguments["to"] == here.device_ctypes_pointer.value and copy.arguments["bytes"] == 400
assert copy.arguments["from"] == there.device_ctypes_pointer.value and copy.arguments["stream"] == 0
""")


def test_without_peer_access():
    run("""
assert not contexts[0].can_access_peer(1)
raises(errors.CudaAPIError, lambda: contexts[0].enable_peer_access(1), "PEER_ACCESS_UNSUPPORTED", code=217)
raises(ValueError, lambda: assign[1, 128](here, there), "argument 2 ('source')", "device 0: copy the array")
given = full(1, 7)
assert "cuMemcpyPeerAsync" in names(lambda: here.copy_to_device(given))    # which the driver stages
assert holds(here, 7)
""", FAKE_CUDA_PEERS="0")  # fmt: skip


def test_what_other_software_has_enabled():
    """It is CUDA's error, and the access is there."""
    run("""
import ctypes
handles = []
for device in (0, 1):
    handles.append(ctypes.c_void_p())
    fake.call("cuDevicePrimaryCtxRetain", ctypes.byref(handles[device]), device)
fake.call("cuCtxSetCurrent", handles[0])
fake.call("cuCtxEnablePeerAccess", handles[1], 0)
raises(errors.CudaAPIError, lambda: contexts[0].enable_peer_access(1), "PEER_ACCESS_ALREADY_ENABLED", code=704)
assign[1, 128](here, full(1, 3))
assert holds(here, 3)
""")


def test_enabling_opens_the_peers_context():
    """The program has used neither device before."""
    assert runs.run("""
cuda.gpus[1].get_primary_context().enable_peer_access(0)
assert fake.live_count("context") == 2
x = zeros()
with cuda.gpus[1]:
    add[1, 128](x, 1)
assert (x.copy_to_host() == 1).all()
""", FAKE_CUDA_DEVICES="2") == ""  # fmt: skip


def test_kernels_are_loaded_for_each_device_once():
    run("""
table = np.arange(50_000, dtype=np.float32)

@cuda.jit
def look_up(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += table[i]

def loads(device, array):
    with cuda.gpus[device]:
        return names(lambda: look_up[1, 128](array)).count("cuModuleLoadDataEx")

assert [loads(0, here), loads(1, there), loads(0, here), loads(1, there)] == [1, 1, 0, 0]
assert fake.live_count("module") == 2
second.reset()
there = full(1)
assert [loads(0, here), loads(1, there), loads(1, there)] == [0, 1, 0]
""")


def test_the_device_of_foreign_memory_is_asked_for_once():
    run("""
class Foreign:
    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__
        self.__cuda_array_interface__["stream"] = None

contexts[0].enable_peer_access(1)
for array, questions in ((here, 1), (there, 2)):    # the selected device comes first
    assign[1, 128](here, Foreign(array))
    assert names(lambda: assign[1, 128](here, Foreign(array))).count("cuPointerGetAttributes") == questions
""")


def test_copies_without_memory_for_packing_go_through_the_host():
    run("""
for device in (0, 1):
    to, source = full(device, 0, (50, 60)), full(1 - device, 3, (50, 60))
    to[::2, ::2] = source[::2, ::2]
    settle()
    for context in contexts:
        context.deallocations.clear()
        context.memory_manager.trim()
    for which in (1, 2):
        fake.inject("cuMemAlloc", fake.OUT_OF_MEMORY, which)
        fake.inject("cuMemAlloc", fake.OUT_OF_MEMORY, which)
        to[::2, ::2] = source[1::2, 1::2]
        fake.clear_faults()
        assert (to.copy_to_host()[::2, ::2] == 3).all()
""")


def test_captured_streams_take_no_copies_between_devices():
    run("""
stream = cuda.stream()
def captured():
    with cuda.graph(stream):
        here.copy_to_device(there)
raises(errors.CudaAPIError, captured, "copy from another device", "copy before the capture", code=900)
here.copy_to_device(full(1, 2), stream=stream)
stream.synchronize()
assert holds(here, 2)
""")


def test_a_capture_goes_on_while_another_device_is_used():
    run("""
stream = cuda.stream()
with cuda.graph(stream) as graph:
    add[1, 128](here, 1)
    with cuda.gpus[1]:
        own = cuda.to_device(np.ones(100, np.float32))
        add[1, 128](own, 1)
        cuda.synchronize()
        assert holds(own, 2)
        del own
        cuda.current_context().deallocations.clear()
    add[1, 128](here, 1)
with cuda.gpus[1]:
    graph.replay()
    graph.replay()
settle()
assert holds(here, 4)
""")


def test_nothing_is_leaked():
    run("""
from collections import Counter

def kinds():
    gc.collect()
    settle()
    for context in contexts:
        context.deallocations.clear()
        context.memory_manager.trim()
        context.synchronize()
    return Counter(one.kind for one in fake.live() if one.kind not in ("event", "context"))

def work():
    for context, peer in ((contexts[0], 1), (contexts[1], 0)):
        try:
            context.enable_peer_access(peer)
        except errors.CudaAPIError as error:
            assert error.code == 704
    @cuda.jit
    def local(x):
        x[0, 0] = 1
    stream = cuda.stream()
    a, b = full(0, 1, (50, 60)), full(1, 2, (50, 60))
    local[1, 1](a)
    with cuda.gpus[1]:
        local[1, 1](b)
    a[::2, ::2] = b[::2, ::2]
    assign[1, 128, stream](a.ravel(), b.ravel())
    with cuda.gpus[1]:
        assign[1, 128](b.ravel(), a.ravel())
        with cuda.graph(cuda.stream()) as graph:
            assign[1, 128](b.ravel(), a.ravel())
        graph.replay()
    a.copy_to_device(b, stream=stream)
    bound = add.bind(1, 128, stream, b.ravel(), 1)
    bound()

for _ in range(2):
    work()
before = kinds()
for _ in range(5):
    work()
assert kinds() <= before, (kinds(), before)
del here, there
first.reset()
second.reset()
assert [one for one in fake.live() if one.kind not in ("context",)] == []
""")


def test_resets_of_a_peer_while_another_thread_uses_its_memory():
    run("""
import threading

contexts[0].enable_peer_access(1)
assign[1, 128](here, there)
outcomes, over = [], threading.Event()

def launch():
    while not over.is_set():
        source = full(1, 5)
        try:
            assign[1, 128](here, source)
            outcomes.append(holds(here, 5))
            here.copy_to_device(source)
        except errors.CudaAPIError as error:
            assert error.code in (709, 704), error
        except ValueError as error:
            assert "enable_peer_access(1)" in str(error), error
            try:
                contexts[0].enable_peer_access(1)
            except errors.CudaAPIError as error:
                assert error.code in (709, 704), error

wrong = []
def guarded():
    try:
        launch()
    except BaseException as error:
        wrong.append(repr(error))

threads = [threading.Thread(target=guarded) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(60):
    second.reset()
    contexts[0].synchronize()
over.set()
for thread in threads:
    thread.join()
assert not wrong, wrong
assert all(outcomes)
""", timeout=60)  # fmt: skip
