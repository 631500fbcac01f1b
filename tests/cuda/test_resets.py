"""The CUDA device after a reset: what was made before is void, is dropped without a call, and is made anew."""

import pytest
import runs

# Objects of every kind, used once, and then lost.
MADE = """
import gc

@cuda.jit
def together(x):
    x[cuda.grid(1)] += 1
    cuda.cg.this_grid().sync()

@cuda.jit(debug=True, opt=False)
def checked(x, at):
    x[at] += 1

table = cuda.to_device(np.arange(100, dtype=np.float32))

@cuda.jit
def add_table(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += table[i]

def raises(call, error=errors.CudaAPIError):
    try:
        call()
    except error as found:
        return found
    raise AssertionError(f"{call} raises nothing")

def use_all(stream):
    x, y = zeros(stream=stream), zeros(stream=stream)
    add[4, 32, stream](x, 1)
    together[2, 32, stream](x)
    checked[1, 1, stream](x, 3)
    cuda.synchronize()
    y[::2] = x[::2]
    assert y.copy_to_host()[:4].tolist() == [2, 0, 2, 0]
    assert x.copy_to_host()[2:5].tolist() == [2, 3, 2]

device = cuda.get_current_device()
x, host_visible = zeros(), [cuda.pinned_array(10), cuda.mapped_array(10), cuda.managed_array(10)]
stream, event, timed = cuda.stream(), cuda.event(timing=False), cuda.event()
launcher, own = add[4, 32], add[4, 32, stream]
use_all(stream)
use_all(0)
use_all(cuda.per_thread_default_stream())
launcher(x, 1)
own(x, 1)
event.record(stream)
timed.record()
add_table[4, 32](x)
"""


def test_lost_objects_raise():
    runs.run(MADE + """
device.reset()
with fake.trace() as calls:
    for use in (
        lambda: x.copy_to_host(), lambda: add[4, 32](x, 1), lambda: launcher(x, 1), lambda: x[0], lambda: own(x, 1),
        stream.synchronize, lambda: cuda.device_array(4, stream=stream) and add[1, 1, stream](zeros(), 1),
        lambda: event.wait(stream),
    ):
        assert raises(use).code == 709, raises(use)
    raises(lambda: event.record(stream))
    assert not [call for call in calls.names if "Launch" in call]
assert fake.violations() == []
""")  # fmt: skip


def test_kernels_are_loaded_again_and_everything_works():
    runs.run(MADE + """
for _ in range(3):
    device.reset()
    assert fake.live_count() == 0, fake.live()
    use_all(0)
    use_all(cuda.stream())
    use_all(cuda.stream(nonblocking=True))
    use_all(cuda.per_thread_default_stream())
    fresh = zeros()
    launcher(fresh, 1)
    assert (fresh.copy_to_host() == 1).all()
    later = cuda.event()
    later.record()
    later.synchronize()
""")  # fmt: skip


def test_captured_arrays_are_lost_with_all_others():
    runs.run(
        MADE
        + """
device.reset()
fresh = zeros()
assert raises(lambda: add_table[4, 32](fresh)).code == 709
"""
    )


@pytest.mark.parametrize("before", ["", "fresh = zeros(); cuda.synchronize()"])
def test_lost_objects_are_dropped_without_a_call(before):
    """Also where the device is in use again."""
    runs.run(MADE + f"""
device.reset()
{before}
with fake.trace() as dropped:
    del x, stream, event, timed, own, launcher, host_visible, table, add_table, together, checked, add
    gc.collect()
    cuda.current_context().deallocations.clear()
    cuda.current_context().memory_manager.trim()
assert dropped.names == [], dropped.names
zeros()
with fake.trace() as dropped:
    gc.collect()
    cuda.current_context().memory_manager.trim()
assert set(dropped.names) <= {{"cuCtxGetCurrent", "cuMemFree", "cuEventQuery", "cuEventRecord"}}, dropped.names
""")  # fmt: skip


@pytest.mark.parametrize("end", ["device.reset()", "cuda.close()", "cuda.current_context().reset()"])
def test_a_reset_waits_for_all_streams_and_frees_everything(end):
    runs.run(MADE + f"""
busy = [cuda.stream(), cuda.stream(nonblocking=True)]
arrays = [zeros() for _ in busy]
cuda.synchronize()
for one, array in zip(busy, arrays):
    add[4, 32, one](array, 1)
del busy, one
{end}
assert fake.pending() == 0
assert fake.live_count() == 0, fake.live()
""")  # fmt: skip


def test_a_reset_of_a_device_that_nobody_used_makes_no_context():
    runs.run("""
with fake.trace() as reset:
    cuda.get_current_device().reset()
assert not [name for name in reset.names if "Ctx" in name], reset.names
assert fake.live_count() == 0
""")


def test_a_reset_waits_for_what_others_have_queued_while_it_waited():
    """Nobody has asked how far that stream has come before the reset has closed the device to others."""
    runs.run("""
import threading, time
awaited, stream = cuda.stream(nonblocking=True), cuda.stream(nonblocking=True)
x, y = zeros(), zeros()
add[4, 32, stream](x, 1)
cuda.synchronize()

def queue():
    begins.wait()
    time.sleep(0.01)  # the reset waits for the other stream
    add[4, 32, stream](x, 1)

begins = threading.Event()
other = threading.Thread(target=queue)
other.start()
add[4, 32, awaited](y, 1)
begins.set()
cuda.get_current_device().reset()
other.join()
assert fake.pending() == 0
""", FAKE_CUDA_QUERIES="3000")  # fmt: skip


def test_another_thread_goes_on_after_a_reset():
    """Its current context is the one that was ended; a thread with none, and this one, get the new one."""
    runs.run("""
import threading
turns = [threading.Event() for _ in range(4)]
problems = []

def work():
    try:
        x = zeros()
        turns[0].set()
        turns[1].wait()
        try:
            x.copy_to_host()
        except errors.CudaAPIError as error:
            assert error.code == 709
        else:
            raise AssertionError("the array survives")
        fresh = zeros()
        add[4, 32](fresh, 1)
        assert (fresh.copy_to_host() == 1).all()
    except BaseException as error:
        problems.append(error)

other = threading.Thread(target=work)
other.start()
turns[0].wait()
cuda.get_current_device().reset()
turns[1].set()
other.join()
assert not problems, problems
""")


def test_a_reset_by_other_software_is_named():
    """What it has ended is as lost as after an error, until a reset of Treadle's own."""
    runs.run(MADE + """
cuda.synchronize()
fake.call("cuDevicePrimaryCtxReset_v2", 0)
fake.set_rule("context-destroyed", False)
found = raises(lambda: zeros())
assert isinstance(found, errors.DeviceLost), repr(found)
assert "other software in this process has reset the device" in str(found), found
with fake.trace() as lost:
    raises(lambda: zeros(), errors.DeviceLost)
    raises(lambda: add[4, 32](x, 1), errors.DeviceLost)
assert lost.names == [], lost.names
device.reset()
use_all(0)
""")  # fmt: skip


def test_memory_that_another_thread_is_giving_back_is_not_freed_after_a_reset():
    """By then its address may be another array's."""
    runs.run("""
import threading
memory = cuda.current_context().memory_manager
device = cuda.get_current_device()
ended = threading.Event()

def trim():
    while not ended.is_set():
        memory.trim()

other = threading.Thread(target=trim)
other.start()
for turn in range(20):  # so many arrays that the other thread is in the middle of them
    arrays = [cuda.device_array(n, np.uint8) for n in range(3000)]
    del arrays
    cuda.current_context().deallocations.clear()
    device.reset()
ended.set()
other.join()
assert fake.violations() == []
""")
