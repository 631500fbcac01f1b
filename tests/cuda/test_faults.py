"""Every call of the driver that a whole program makes fails once, with each error that it may plausibly give.

The program is fault_scenario.py. Errors that can be recovered from must raise the right exception, leak nothing, and
leave a device that works; those that end the context must raise DeviceLost, and nothing may call the driver until a
reset, after which all works.
"""

import functools
import json
import sys

import processes
import pytest
import runs

SETTINGS = {"FAKE_CUDA_QUERIES": "0", "FAKE_CUDA_KERNEL_RACES": "0"}
PLAIN, STICKY = 0, 1
ENDING = [700, 719]
# Of a new process fail the calls that a later run of the program does not make, and the first of each function: the
# others come again after a reset, at the same places, where the run costs a quarter.
FIRST = 4
ONLY_FRESH = ("cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset")  # what they leave lives until the process ends


def program(*arguments, given="", **settings):
    command = [sys.executable, str(runs.HERE / "fault_scenario.py"), *arguments]
    result = processes.run(command, 1200, runs.environment(**SETTINGS, **settings), input=given)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return [json.loads(line) for line in result.stdout.splitlines()]


@functools.cache
def recorded():
    """How often each program calls each function, its plausible errors, and what lives after the program."""
    return program("record")[0]


def results(function, nth, mode):
    """Of those that end a context, which are treated alike, each call gets one in turn."""
    return recorded()[1][function] if mode == PLAIN else [ENDING[nth % 2]]


def faults(mode):
    counts, _, _ = recorded()
    fresh, again = counts["fresh"], counts["again"]
    calls = [
        (name, nth, "fresh")
        for name, count in fresh.items()
        for nth in range(1, count + 1)
        if nth <= FIRST or name in ONLY_FRESH or name not in again
    ]
    calls += [
        (name, nth, "again") for name, count in again.items() if name not in ONLY_FRESH for nth in range(1, count + 1)
    ]
    return [[name, nth, result, mode, run] for name, nth, run in calls for result in results(name, nth, mode)]


def suffer(chosen, record_property):
    _, _, expected = recorded()
    answers = program("run", given=json.dumps([chosen, expected]))
    assert sorted(fault for fault, _, _ in answers) == sorted(chosen)
    record_property("faults of the driver", len(chosen))
    record_property(
        "faults of the driver that nobody is told of", sum(what == "silent" for _, good, what in answers if good)
    )
    wrong = [f"{fault}: {what}" for fault, good, what in answers if not good]
    assert not wrong, f"{len(wrong)} of {len(chosen)} faults\n\n" + "\n\n".join(wrong[:10])


def sample(mode, every):
    """The first call of each function, and some of the others."""
    first = [fault for fault in faults(mode) if fault[1] == 1 and fault[-1] == "fresh"]
    return first + [fault for fault in faults(mode) if fault[-1] == "again"][::every]


def test_the_program_works_without_a_fault():
    counts, _, _ = recorded()
    assert counts["fresh"]["cuLaunchKernelEx"] == 2 * counts["again"]["cuLaunchKernelEx"]


def test_some_calls_fail(record_property):
    suffer(sample(PLAIN, 10), record_property)


def test_some_calls_end_the_context(record_property):
    suffer(sample(STICKY, 10), record_property)


@pytest.mark.deep
def test_every_call_fails(record_property):
    suffer(faults(PLAIN), record_property)


@pytest.mark.deep
def test_every_call_ends_the_context(record_property):
    suffer(faults(STICKY), record_property)


ASYNC = """
import gc

@cuda.jit
def culprit(x):
    x[0] = 1

def raises(call, error=errors.CudaAPIError):
    try:
        call()
    except error as found:
        return found
    raise AssertionError(f"{call} raises nothing")

device = cuda.get_current_device()
x, y = zeros(), zeros()
s = cuda.stream()
culprit[1, 1](x)
add[4, 32](y, 1)
cuda.synchronize()

def fail_later(stream=0, result=fake.ILLEGAL_ADDRESS):
    global x
    x = zeros()
    fake.inject("cuLaunchKernelEx", result, mode=fake.ASYNC)
    culprit[1, 1, stream](x)  # returns as if all were well

def works():
    fresh = zeros()
    add[4, 32](fresh, 3)
    assert (fresh.copy_to_host() == 3).all()
"""
SURFACES = {
    "synchronize": "cuda.synchronize()",
    "stream": "s.synchronize()",
    "copy": "x.copy_to_host(stream=s)",
    "element": "x[0]",
    "host array": "add[1, 32, s](np.zeros(4, np.float32), 1)",
    "debug launch": "checked[1, 1](y)",
}


@pytest.mark.parametrize("how", SURFACES)
@pytest.mark.parametrize("result", [700, 719])
def test_what_fails_later_surfaces_where_someone_waits(how, result):
    """The text names the kernel that was launched last."""
    runs.run(ASYNC + f"""
@cuda.jit(debug=True, opt=False)
def checked(x):
    x[0] = 1
checked[1, 1](y)
fail_later(s, {result})
lost = raises(lambda: {SURFACES[how]}, errors.DeviceLost)
assert lost.code == {result}, lost
assert "culprit" in str(lost) or {how!r} in ("host array", "debug launch"), lost
assert "cuda.close() or the device's reset()" in str(lost), lost
with fake.trace() as calls:
    raises(works, errors.DeviceLost)
    raises(s.synchronize, errors.DeviceLost)
    raises(cuda.synchronize, errors.DeviceLost)
assert calls.names == [], calls.names
device.reset()
works()
""")  # fmt: skip


def test_an_event_of_a_lost_device_raises():
    """`while not event.query(): pass` ends."""
    runs.run(ASYNC + """
event = cuda.event()
fail_later(s)
event.record(s)
def ask():
    for _ in range(1000):
        event.query()
raises(ask, errors.DeviceLost)
raises(event.synchronize, errors.DeviceLost)
device.reset()
works()
""")  # fmt: skip


def test_a_reset_cures_what_has_not_shown_yet():
    runs.run(ASYNC + """
fail_later(s)
device.reset()
works()
fail_later()
cuda.close()
works()
""")  # fmt: skip


def test_after_a_reset_nobody_waits_for_streams_of_before():
    """Also where the device was lost before anyone asked how far they had come."""
    runs.run(ASYNC + """
other = cuda.stream()
fail_later(s)
add[4, 32, other](y, 1)
raises(s.synchronize, errors.DeviceLost)
device.reset()
cuda.synchronize()
works()
""")  # fmt: skip


def test_a_reset_that_fails_leaves_nothing_of_the_old_context():
    runs.run(ASYNC + """
import warnings
for function in ("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease"):
    event = cuda.event()
    event.record(cuda.default_stream())
    fake.inject(function, fake.UNKNOWN)
    assert raises(device.reset).code == fake.UNKNOWN
    works()
    assert raises(lambda: x.copy_to_host()).code == 709
    x = zeros()
""")  # fmt: skip


def test_every_tenth_allocation_finds_no_memory():
    """The cache is given back, and the allocation tried again: programs only notice where nothing helps."""
    runs.run("""
kept = []
fails = 0
for turn in range(200):
    if turn % 10 == 9:
        fake.inject("cuMemAlloc", fake.OUT_OF_MEMORY)
    kept.append(cuda.to_device(np.full(300 + 50 * turn, turn, np.float32)))
    if turn % 3 == 0:
        del kept[:2]
for array in kept:
    host = array.copy_to_host()
    assert (host == host[0]).all()
fake.clear_faults()
for kind in ("pinned_array", "mapped_array", "managed_array"):
    for function in ("cuMemHostAlloc", "cuMemAllocManaged"):
        for _ in range(3):
            fake.inject(function, fake.OUT_OF_MEMORY)
    try:
        getattr(cuda, kind)(1000)
    except (MemoryError, errors.CudaAPIError) as error:
        assert isinstance(error, MemoryError) or error.code == 2, error
    else:
        raise AssertionError(f"{kind} finds memory")
    fake.clear_faults()
    getattr(cuda, kind)(1000)
""")  # fmt: skip


def test_memory_that_cannot_be_freed_is_told():
    runs.run(ASYNC + """
memory = cuda.current_context().memory_manager
memory.trim()
del x
cuda.current_context().deallocations.clear()
fake.inject("cuMemFree", fake.UNKNOWN)
assert raises(memory.trim).code == fake.UNKNOWN
works()
""")  # fmt: skip


@pytest.mark.parametrize("function", ["cuCtxGetCurrent", "cuMemHostUnregister"])
def test_memory_that_cannot_be_unpinned_is_kept(function):
    """The driver would take whatever comes to lie there for the registered memory."""
    runs.run(ASYNC + f"""
import traceback
import weakref
kept = []

def unpinned(fails):
    host = np.zeros(1000, np.float32)
    kept.append(weakref.ref(host))
    with cuda.pinned(host):
        if fails:
            fake.inject("{function}", fake.UNKNOWN)

error = raises(lambda: unpinned(True))
assert error.code == fake.UNKNOWN
traceback.clear_frames(error.__traceback__)
unpinned(False)
gc.collect()
assert [one() is not None for one in kept] == [True, False]
assert fake.live_count("registered") == 1
works()
""")  # fmt: skip


def test_what_is_said_where_memory_is_out():
    text = runs.run("""
keep = cuda.device_array(40 << 20, np.uint8)
try:
    cuda.device_array(100 << 20, np.uint8)
except errors.CudaAPIError as error:
    assert error.code == 2
    print(error)
x = zeros()
add[4, 32](x, 1)
assert x[0] == 1
""", FAKE_CUDA_MEMORY=str(100 << 20))  # fmt: skip
    assert "100 MiB were asked for" in text and "the largest live arrays have 40.0 MiB" in text, text


def test_an_error_of_a_debug_kernel_is_told_beside_an_error_of_the_driver():
    """A failed launch leaves the record clear and the slot usable."""
    runs.run("""
@cuda.jit(debug=True, opt=False)
def store(x, at):
    x[at] = 1
x = zeros(4)
store[1, 1](x, 3)
for turn in range(5):
    try:
        store[1, 1](x, 9)
    except IndexError:
        pass
    else:
        raise AssertionError("the check is lost")
    store[1, 1](x, 1)
    fake.inject("cuLaunchKernelEx", fake.INVALID_VALUE)
    try:
        store[1, 1](x, 9)
    except errors.CudaAPIError as error:
        assert error.code == 1
    else:
        raise AssertionError("the failed launch is lost")
    store[1, 1](x, 2)
made = fake.calls_of("cuMemHostAlloc")
assert made == 1, made
assert x.copy_to_host().tolist() == [0, 1, 1, 1]
""")  # fmt: skip


def test_a_check_is_shown_in_the_file_of_its_function():
    """In place, as a function of its own, and in the kernel again, whose messages name no other file."""
    runs.run("""
FUNCTION = "def pick(x, i):\\n    return x[i]\\n"
KERNEL = "\\n\\n\\ndef kernel(x, i):\\n    x[0] = pick(x, i)\\n    x[i + 1] = 2\\n"
for inline in ("always", "never"):
    scope = {}
    exec(compile(FUNCTION, "its file", "exec"), scope)
    scope["pick"] = cuda.jit(device=True, inline=inline)(scope["pick"])
    exec(compile(KERNEL, "kernel's file", "exec"), scope)
    kernel = cuda.jit(scope["kernel"], debug=True, opt=False)
    x = zeros(4)
    places = {4: "line 2, column 14 of pick (its file), in", 3: "line 6, column 7, in", -5: "line 2, column 14 of pick"}
    for i, place in places.items():
        try:
            kernel[1, 1](x, i)
            cuda.synchronize()
        except IndexError as error:
            assert str(error).startswith(f"kernel (kernel's file): an index is out of bounds in {place}"), error
        else:
            raise AssertionError("the check is lost")
""")  # fmt: skip
