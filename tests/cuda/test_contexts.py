"""The CUDA device beside other threads, other devices' contexts, other software, forks, and at the end of a process."""

import pytest
import runs

# Contexts of other software, made by the driver directly.
OTHERS = """
import ctypes

def current():
    context = ctypes.c_void_p()
    fake.call("cuCtxGetCurrent", ctypes.byref(context))
    return context.value

def primary(device):
    context = ctypes.c_void_p()
    fake.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    return context.value

def make_current(context):
    fake.call("cuCtxSetCurrent", ctypes.c_void_p(context))
"""


def test_a_thread_without_a_context_gets_the_primary_one():
    runs.run(
        OTHERS
        + """
import threading
x = zeros()
cuda.synchronize()

def work():
    assert current() is None
    with fake.trace() as first:
        add[4, 32](x, 1)
    assert current() is not None
    with fake.trace() as second:
        add[4, 32](x, 1)
    names = ["cuCtxGetCurrent", "cuLaunchKernelEx"]
    assert second.names == names, second.names
    assert [name for name in first.names if name.startswith("cuCtx")][:2] == ["cuCtxGetCurrent", "cuCtxSetCurrent"]

thread = threading.Thread(target=work)
thread.start()
thread.join()
assert (x.copy_to_host() == 2).all()
"""
    )


def test_another_devices_primary_context_is_given_back():
    runs.run(OTHERS + """
x = zeros()
add[4, 32](x, 1)
cuda.synchronize()
other = primary(1)
make_current(other)
for turn in range(3):
    with fake.trace() as launch:
        add[4, 32](x, 1)
    assert current() == other
    names = [name for name in launch.names if name.startswith("cuCtx")]
    if turn > 0:
        assert names == ["cuCtxGetCurrent", "cuCtxPushCurrent", "cuCtxPopCurrent"], names
assert (x.copy_to_host() == 4).all()
stream, event = cuda.stream(), cuda.event()
event.record(stream)
event.synchronize()
y = zeros()
y[::2] = x[::2]
del stream, event, y
cuda.current_context().memory_manager.trim()
cuda.synchronize()
assert current() == other
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_an_error_gives_the_context_back_too():
    runs.run(OTHERS + """
x = zeros()
add[4, 32](x, 1)
other = primary(1)
make_current(other)
add[4, 32](x, 1)
fake.inject("cuLaunchKernelEx", fake.INVALID_VALUE)
try:
    add[4, 32](x, 1)
except errors.CudaAPIError as error:
    assert error.code == 1
else:
    raise AssertionError("the launch has not failed")
assert current() == other
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_devices_have_contexts_of_their_own():
    runs.run(OTHERS + """
arrays = []
for number in (0, 1, 0, 1):
    with cuda.gpus[number]:
        x = zeros()
        add[4, 32](x, number)
        arrays.append(x)
for x, number in zip(arrays, (0, 1, 0, 1)):
    assert (x.copy_to_host() == number).all()
assert fake.live_count("context") == 2
cuda.select_device(1)
cuda.get_current_device().reset()
assert fake.live_count("context") == 1
assert (arrays[0].copy_to_host() == 0).all()
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_a_context_that_is_not_primary_is_refused():
    runs.run(
        OTHERS
        + """
x = zeros()
cuda.synchronize()
made = ctypes.c_void_p()
fake.call("cuCtxCreate_v2", ctypes.byref(made), 0, 0)
uses = [lambda: add[4, 32](x, 1), lambda: x.copy_to_host(), lambda: zeros(), cuda.stream, cuda.synchronize]
for use in uses:
    try:
        use()
    except RuntimeError as error:
        assert "import pycuda.autoprimaryctx" in str(error), error
    else:
        raise AssertionError("it is not refused")
assert current() == made.value
fake.call("cuCtxDestroy_v2", made)
add[4, 32](x, 1)
assert (x.copy_to_host() == 1).all()
"""
    )


def test_a_handle_that_was_another_devices_primary_context_is_judged_again():
    """After that device's reset the same handle may be a context of any kind."""
    runs.run(OTHERS + """
x = zeros()
other = primary(1)
make_current(other)
add[4, 32](x, 1)
fake.call("cuDevicePrimaryCtxRelease_v2", 1)
assert fake.live_count("context") == 1, fake.live("context")
make_current(None)
made = ctypes.c_void_p()
fake.call("cuCtxCreate_v2", ctypes.byref(made), 0, 1)
if made.value == other:
    print("the handle is used again")
try:
    add[4, 32](x, 1)
except RuntimeError as error:
    assert "import pycuda.autoprimaryctx" in str(error), error
else:
    raise AssertionError("it is not refused")
""", FAKE_CUDA_DEVICES="2", FAKE_CUDA_REUSE="1")  # fmt: skip


FORK = """
import gc, os, sys

@cuda.jit
def together(x):
    x[cuda.grid(1)] += 1
    cuda.cg.this_grid().sync()

x, y, pinned = zeros(), zeros(), cuda.pinned_array(4)
mapped, managed = cuda.mapped_array(4), cuda.managed_array(4)
stream, event = cuda.stream(), cuda.event()
add[4, 32, stream](x, 1)
together[2, 32, stream](y)
event.record(stream)

def child(work):
    sys.stdout.flush()
    number = os.fork()
    if number == 0:
        calls = fake.call_count()
        work()
        assert fake.call_count() == calls, fake.calls(calls)
        sys.exit(7)
    _, status = os.waitpid(number, 0)
    assert os.waitstatus_to_exitcode(status) == 7, status

def refused(use):
    try:
        use()
    except errors.CudaSupportError as error:
        assert "fork" in str(error) and "spawn" in str(error), error
    else:
        raise AssertionError("it works in the child of a fork")
"""


def test_the_child_of_a_fork_is_told():
    runs.run(
        FORK
        + """
def work():
    uses = [zeros, cuda.stream, lambda: add[4, 32](x, 1), lambda: x.copy_to_host(), lambda: add[4, 32](np.zeros(4), 1)]
    uses += [stream.synchronize, cuda.synchronize, lambda: event.record(stream), lambda: cuda.pinned_array(3)]
    uses += [lambda: x.__setitem__(slice(None), 3), cuda.current_context().get_memory_info]
    for use in uses:
        refused(use)

child(work)
assert (x.copy_to_host() == 1).all()
"""
    )


def test_the_child_of_a_fork_drops_everything_without_a_call():
    runs.run(
        FORK
        + """
def work():
    global x, y, pinned, mapped, managed, stream, event, add, together
    del x, y, pinned, mapped, managed, stream, event, add, together
    gc.collect()
    cuda.current_context().deallocations.clear()
    cuda.current_context().memory_manager.trim()

child(work)
child(lambda: None)
cuda.synchronize()
assert (x.copy_to_host() == 1).all() and (y.copy_to_host()[:64] == 1).all()
"""
    )


def test_a_reset_in_the_child_of_a_fork_makes_no_call():
    runs.run(
        FORK
        + """
def work():
    try:
        cuda.get_current_device().reset()
    except errors.CudaSupportError:
        pass
    refused(zeros)

child(work)
"""
    )


def test_a_child_that_forks_before_the_first_use_works():
    runs.run("""
import os
number = os.fork()
x = zeros()
add[4, 32](x, 1)
assert (x.copy_to_host() == 1).all()
if number:
    _, status = os.waitpid(number, 0)
    assert status == 0
""")


ENDS = {
    "nothing": "",
    "work on streams": """
streams = [cuda.stream(), cuda.stream(nonblocking=True), cuda.per_thread_default_stream()]
arrays = [zeros() for _ in streams]
cuda.synchronize()
for stream, array in zip(streams, arrays):
    add[4, 32, stream](array, 1)
""",
    "dropped streams": """
arrays = [zeros() for _ in range(12)]
cuda.synchronize()
for array in arrays:
    add[4, 32, cuda.stream()](array, 1)
del array
""",
    "callbacks": """
stream = cuda.stream()
for _ in range(5):
    stream.add_callback(lambda *_: None)
""",
    "events": """
events = [cuda.event() for _ in range(5)]
for event in events:
    event.record()
""",
    "memory of the host": "arrays = [cuda.pinned_array(4), cuda.mapped_array(4), cuda.managed_array(4)]",
    "pinned": "pin = cuda.pinned(np.zeros(1000)); pin.__enter__()",
    "a lost device": """
fake.inject("cuMemAlloc", fake.ILLEGAL_ADDRESS, mode=fake.STICKY)
try:
    zeros()
except errors.DeviceLost:
    pass
else:
    raise AssertionError("no error")
""",
    "a thread": """
import threading
def work():
    array = zeros()
    try:
        while True:
            add[4, 32](array, 1)
            array.copy_to_host()
    except RuntimeError as error:
        assert "shutting down" in str(error)
threading.Thread(target=work, daemon=True).start()
""",
    "references in cycles and at exit": """
import atexit
class Kept:
    pass
kept = Kept()
kept.own, kept.array, kept.stream, kept.event = kept, zeros(), cuda.stream(), cuda.event()
atexit.register(lambda kept: kept.array, kept)
import sys
sys.kept = [zeros(), cuda.stream()]
""",
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_process(name):
    """Exit code 0, and nothing on stderr."""
    assert runs.run("x = zeros()\nadd[4, 32](x, 1)\n" + ENDS[name] + "\nprint('done')\n") == "done\n"
