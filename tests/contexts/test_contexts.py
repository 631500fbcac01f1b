"""Devices, contexts, resets: the device that a thread uses, and what remains when a context ends."""

import re
import threading

import numpy as np
import pytest
import remote
from treadle import cuda, errors


@cuda.jit
def increment(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1


def test_the_one_device():
    assert len(cuda.gpus) == len(cuda.list_devices()) == 1
    device = cuda.gpus[0]
    assert device == cuda.gpus.current == cuda.get_current_device() == cuda.select_device(0) == cuda.gpus.lst[0]
    assert [one.id for one in cuda.gpus] == [0]
    assert re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", device.uuid)
    assert device.compute_capability == (9, 0)
    assert (device.supports_float16, device.supports_bfloat16, device.supports_fp8) == (True, False, False)
    assert device.get_primary_context() is cuda.current_context() is cuda.current_context(0)
    assert cuda.current_context().device is device
    assert repr(cuda.current_context()) == "<Context of device 0>"
    assert cuda.cuda_error() is None
    assert cuda.is_supported_version()
    assert cuda.runtime.get_version() >= (12, 0)


def test_devices_that_do_not_exist():
    for attempt in (lambda: cuda.select_device(1), lambda: cuda.select_device(-1), lambda: cuda.current_context(7)):
        with pytest.raises(errors.CudaAPIError, match="there is no such device: there are 1") as caught:
            attempt()
        assert caught.value.code == 101
    with pytest.raises(IndexError, match="device 3 does not exist"):
        cuda.gpus[3]
    assert cuda.gpus[-1].id == 0


def test_contexts_are_pushed_and_popped():
    context = cuda.current_context()
    context.push()
    context.pop()
    with cuda.gpus[0] as device:
        assert device is cuda.get_current_device()
    assert not context.can_access_peer(0)
    assert not context.can_access_peer(5)
    with pytest.raises(errors.CudaAPIError, match="there is no such device") as caught:
        context.enable_peer_access(5)
    assert caught.value.code == 101


def test_require_context():
    @cuda.require_context
    def named(a, *, b):
        """Adds."""
        return a + b

    assert (named(1, b=2), named.__name__, named.__doc__) == (3, "named", "Adds.")


@pytest.mark.parametrize("reset", [cuda.close, cuda.devices.reset, lambda: cuda.current_context().reset(),
                                   lambda: cuda.get_current_device().reset()])  # fmt: skip
def test_what_was_made_before_a_reset_cannot_be_used(reset):
    array, stream, event = cuda.to_device(np.zeros(10)), cuda.stream(), cuda.event()
    window = remote.seen(array)
    increment[1, 32, stream](array)
    reset()
    host = np.zeros(10)
    attempts = [
        lambda: array.copy_to_host(),
        lambda: array.copy_to_host(host),
        lambda: array.copy_to_device(host),
        lambda: array[0],
        lambda: array.__setitem__(0, 1),
        lambda: remote.seen(array),
        lambda: np.asarray(array),
        lambda: increment[1, 32](array),
        lambda: increment[1, 32](array[2:]),
        lambda: stream.synchronize(),
        lambda: increment[1, 32, stream](cuda.to_device(host)),
        lambda: stream.add_callback(print),
        lambda: event.record(stream),
        lambda: event.query(),
        lambda: event.synchronize(),
        lambda: event.wait(),
        lambda: event.record(),
        lambda: event.elapsed_time(event),
    ]
    for attempt in attempts:
        with pytest.raises(errors.CudaAPIError, match="was reset after") as caught:
            attempt()
        assert caught.value.code == 709
    assert (array.shape, array.dtype, repr(array)) == ((10,), np.float64, "<DeviceNDArray float64 (10,)>")
    assert remote.is_memory_hidden() or window[0] == 1.0  # memory that the host still views stays
    fresh = cuda.to_device(host)
    increment[1, 32](fresh)
    increment[1, 32, cuda.stream()](fresh)
    assert (fresh.copy_to_host() == 2).all()


def test_occupancy():
    increment[1, 1](np.zeros(1))
    (overload, *_) = increment.overloads.values()
    context = cuda.current_context()
    processors = context.device.MULTIPROCESSOR_COUNT
    active = context.get_active_blocks_per_multiprocessor(overload, 128, 0)
    assert active >= 1
    assert context.get_active_blocks_per_multiprocessor(overload, 128, 100_000) <= active
    grid, block = context.get_max_potential_block_size(overload, None, 0, 0)
    assert block == 1024 and grid >= processors and grid % processors == 0
    assert context.get_max_potential_block_size(overload, lambda threads: 4 * threads, 0, 256)[1] == 256
    with pytest.raises(ValueError, match="shared memory"):
        context.get_active_blocks_per_multiprocessor(overload, 128, 1 << 20)


def test_captured_arrays_are_lost_in_a_reset_too():
    array = cuda.to_device(np.zeros(10))

    @cuda.jit
    def count():
        array[cuda.grid(1)] += 1

    count[1, 10]()
    cuda.close()
    with pytest.raises(errors.CudaAPIError, match="captured was reset after that was made") as caught:
        count[1, 10]()
    assert caught.value.code == 709
    array = cuda.to_device(np.zeros(10))
    count.recompile()
    count[1, 10]()
    assert (array.copy_to_host() == 1).all()


def test_reset_waits_for_streams_and_forgets_failures():
    @cuda.jit(debug=True)
    def fails(a):
        a[cuda.grid(1) + 100] = 1

    stream, array = cuda.stream(), cuda.to_device(np.zeros(4))
    fails[1, 1, stream](array)
    cuda.close()
    cuda.synchronize()
    info = cuda.current_context().memory_manager.figures()
    assert (info["live_count"], info["pending_count"], info["cached_bytes"]) == (0, 0, 0)


TWO = """
import threading
import numpy as np
import pytest
from treadle import cuda, errors

@cuda.jit
def increment(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1

assert [one.id for one in cuda.gpus] == [0, 1]
first, second = cuda.gpus
assert first != second and first.uuid != second.uuid
context_of_first = first.get_primary_context()
if context_of_first.can_access_peer(1):
    context_of_first.enable_peer_access(1)
else:
    with pytest.raises(errors.CudaAPIError, match="cannot access that device's memory") as caught:
        context_of_first.enable_peer_access(1)
    assert caught.value.code == 217
print("first reaches second:", context_of_first.can_access_peer(1))
print("kind:", repr(first).split()[0])
on_first = cuda.to_device(np.zeros(5))
stream_of_first = cuda.stream()
with cuda.gpus[1]:
    assert cuda.get_current_device() == second
    assert cuda.current_context().memory_manager.figures()["live_count"] == 0
    on_second = cuda.to_device(np.ones(5))
    stream_of_second = cuda.stream()
    increment[1, 32](on_second)
    increment[1, 32, stream_of_second](on_second)
    assert cuda.current_context().memory_manager.figures()["live_count"] == 1
    for wrong in (lambda: increment[1, 32](on_first), lambda: increment[1, 32, stream_of_second](on_first)):
        with pytest.raises(ValueError, match="another device"):
            wrong()
    with pytest.raises(RuntimeError, match="device 1"):
        cuda.current_context(0)
    stream_of_second.synchronize()
assert cuda.get_current_device() == first
assert (on_second.copy_to_host() == 3).all()   # by its own device
with pytest.raises(ValueError, match="another device"):
    on_second.copy_to_host(stream=stream_of_first)
@cuda.jit
def both(a, b):
    a[0] = b[0]
with second, pytest.raises(ValueError, match="both: argument 1 .'a'. lies in the memory of another device"):
    both[1, 1](on_first, on_second)
@cuda.jit
def captures(a):
    a[0] = on_first[0]
captures[1, 1](cuda.to_device(np.zeros(1)))
with pytest.raises(ValueError, match="captures: .* another device"):
    captures[1, 1, stream_of_second](on_second)
on_first.copy_to_device(on_second)
assert (on_first.copy_to_host() == 3).all()

cuda.select_device(1)
found = []
def work():
    found.append(cuda.get_current_device().id)
    found.append(cuda.current_context(1).device.id)
    found.append(cuda.get_current_device().id)
    cuda.select_device(0)
    found.append(cuda.get_current_device().id)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert found == [0, 1, 1, 0], found
assert cuda.get_current_device() == second

second.reset()
with pytest.raises(errors.CudaAPIError):
    on_second.copy_to_host()
assert (on_first.copy_to_host() == 3).all()
context = second.get_primary_context()
context.push()
with pytest.raises(RuntimeError, match="not the context of this thread"):
    first.get_primary_context().pop()
context.pop()
cuda.close()
assert cuda.get_current_device() == first
with pytest.raises(errors.CudaAPIError):
    on_first.copy_to_host()
cuda.detect()
"""


def test_two_devices(run_python):
    printed = run_python(TWO, TREADLE_CPU_DEVICES="2")
    assert "Found 2 devices" in printed
    # CPU devices share the host's memory; each remote device has memory of its own.
    assert f"first reaches second: {not remote.is_under_test()}\n" in printed
    assert ("kind: <remote\n" if remote.is_under_test() else "kind: <CPU\n") in printed
    assert ("Workers: " in printed) != remote.is_under_test()
    assert len(set(re.findall("GPU-.*", printed))) == 2


def test_threads_begin_with_the_first_device():
    found = []
    thread = threading.Thread(target=lambda: found.append(cuda.current_context()))
    thread.start()
    thread.join()
    assert found == [cuda.current_context()]


AT_EXIT = """
import threading
import numpy as np
from treadle import cuda

@cuda.jit
def slow(a):
    if cuda.grid(1) > 0:
        return
    for i in range(a.size):
        a[i] += 1

arrays = [cuda.to_device(np.zeros(1000)) for _ in range(20)]
streams = [cuda.stream() for _ in range(3)]
for stream, array in zip(streams, arrays):
    slow[4, 32, stream](array)
    stream.add_callback(lambda *_: None)
views = [array[3:] for array in arrays]
mapped = cuda.mapped_array(100)
pinned = cuda.pinned_array(100)
event = cuda.event()
event.record(streams[0])
cuda.defer_cleanup().__enter__()
arrays.append(arrays)  # a cycle

def hold():
    array = cuda.to_device(np.zeros(10))
    threading.Event().wait()

threading.Thread(target=hold, daemon=True).start()
print("end")
"""


def test_exit_with_everything_alive(run_python):
    assert run_python(AT_EXIT) == "end\n"


RESETS = """
import sys, threading, time
import numpy as np
from treadle import cuda

@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1

def launch():
    while len(rounds) < int(sys.argv[1]):
        try:
            stream = cuda.stream()
            for _ in range(3):
                increment[40, 256, stream](cuda.to_device(np.zeros(10_000)))
            shared = cuda.device_array(10_000)
            increment[40, 256](shared)
            shared.copy_to_host()
        except cuda.cudadrv.driver.CudaAPIError as error:
            assert error.code == 709
        rounds.append(0)

rounds = []
increment[1, 1](np.zeros(1))
threads = [threading.Thread(target=launch) for _ in range(3)]
for thread in threads:
    thread.start()
while len(rounds) < int(sys.argv[1]):
    cuda.get_current_device().reset()
    time.sleep(0.0005)  # others load the kernel between two resets
for thread in threads:
    thread.join()
"""


def test_resets_while_other_threads_launch(run_python):
    assert run_python(RESETS, "500", timeout=300) == ""


@pytest.mark.deep
def test_many_resets_while_other_threads_launch(run_python):
    assert run_python(RESETS, "20000", timeout=900) == ""
