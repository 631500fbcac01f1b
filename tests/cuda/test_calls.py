"""The exact calls of the CUDA driver that each operation makes, in their order.

The stand-in answers queries at once here (FAKE_CUDA_QUERIES=0), so that waiting takes one query.
"""

import functools
import json

import pytest
import runs

# What calls mostly come in.
ENTER = "cuCtxGetCurrent"
LAUNCH = f"{ENTER} cuLaunchKernelEx"
MARK = f"{ENTER} cuEventRecord"
ASK = f"{ENTER} cuEventQuery"
WAIT = f"{MARK} {ASK}"
TO_DEVICE = f"{ENTER} cuMemcpyHtoDAsync {WAIT}"
TO_HOST = f"{ENTER} cuMemcpyDtoHAsync {WAIT}"
ALLOCATE = f"{ENTER} cuMemAlloc"
FREE = f"{ENTER} cuMemFree"
ON_A_STREAM = f"{ENTER} cuStreamCreate {{}} {ENTER} cuStreamDestroy"
TOLD = "cuGetErrorName cuGetErrorString"
TO_DEVICE_FAILS = f"{ENTER} cuMemcpyHtoDAsync {MARK} {TOLD} {ENTER} cuStreamSynchronize"
DEBUG_LAUNCH = f"{ENTER} {LAUNCH} cuMemcpyDtoHAsync cuMemsetD8Async"

# The events that each program needs are made before it, so that no list has their creation.
WARM = """
import json, sys
warm = [cuda.event(timing=timing) for timing in (False, False, False, True, True, True)]
x = zeros()
for event in warm:
    event.record()
add[4, 32](x, 1)
cuda.synchronize()
del warm, event
"""
STEPS = """
counted = {}
for name, statement in json.loads(sys.argv[1]):
    with fake.trace() as traced:
        exec(statement)
    counted[name] = " ".join(traced.names)
print(json.dumps(counted))
"""


def steps(*table, prepare="", warm=True):
    """Checks the calls of each statement in turn, in one program. `table`: (name, statement, calls)."""
    given = [(name, statement) for name, statement, _ in table]
    program = (WARM if warm else "import json, sys\n") + prepare + STEPS
    found = runs.answer(program, json.dumps(given), FAKE_CUDA_QUERIES="0")
    assert found == {name: calls for name, _, calls in table}


def test_first_use_of_a_device():
    attributes = " ".join(["cuDeviceGetAttribute"] * 11)
    opened = f"cuDriverGetVersion cuInit cuDeviceGetCount cuDeviceGet {attributes} cuDeviceGet"
    opened += " cuDeviceGetAttribute cuDeviceGetAttribute cuDeviceTotalMem"
    steps(
        ("import", "import treadle", ""),
        ("device", "cuda.get_current_device()", opened),
        ("name", "cuda.get_current_device().name", "cuDeviceGetName"),
        ("first array", "x = cuda.device_array(4)", f"cuDevicePrimaryCtxRetain {ENTER} cuCtxSetCurrent cuMemAlloc"),
        ("first kernel", "add[1, 32](x, 1)",
         f"{ENTER} cuModuleLoadDataEx {ENTER} cuModuleGetFunction {LAUNCH}"),
        ("second launch", "add[1, 32](x, 1)", LAUNCH),
        ("first wait", "cuda.synchronize()",
         f"{ENTER} cuEventCreate cuEventRecord {ASK} {ENTER} cuCtxSynchronize"),
        warm=False,
    )  # fmt: skip


LAUNCHES = """
@cuda.jit
def none():
    pass

@cuda.jit
def four(a, b, c, d):
    a[cuda.grid(1)] = b[0] + c[0] + d[0]

@cuda.jit
def sixteen(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p):
    a[cuda.grid(1)] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0] + i[0] + j[0] + k[0] + l[0] + m[0] + n[0] + o[0]

arrays = [zeros(32) for _ in range(16)]
created, thread, concurrent = cuda.stream(), cuda.per_thread_default_stream(), cuda.stream(nonblocking=True)
for stream in (0, created, thread, concurrent):
    none[1, 1, stream]()
    add[1, 32, stream](arrays[0], 1)
    four[1, 32, stream](*arrays[:4])
    sixteen[1, 32, stream](*arrays)
    cuda.synchronize()
"""


@pytest.mark.parametrize("stream", ["0", "created", "thread", "concurrent"])
def test_a_warm_launch_is_one_question_and_one_launch(stream):
    steps(
        ("none", f"none[1, 1, {stream}]()", LAUNCH),
        ("1", f"add[1, 32, {stream}](arrays[0], 1)", LAUNCH),
        ("4", f"four[1, 32, {stream}](*arrays[:4])", LAUNCH),
        ("16", f"sixteen[1, 32, {stream}](*arrays)", LAUNCH),
        prepare=LAUNCHES,
    )


def test_work_names_its_stream():
    """The legacy default stream is 0, that of the thread 2."""
    *streams, handle = runs.answer(
        LAUNCHES
        + """
import json
with fake.trace() as t:
    for stream in (0, thread, created):
        event = cuda.event()
        event.record(stream)
print(json.dumps([call.arguments["stream"] for call in t.of("cuEventRecord")] + [created.handle]))
"""
    )
    assert streams == [0, 2, handle]


def test_launches_with_host_arrays():
    loaded = f"{ENTER} cuModuleLoadDataEx {ENTER} cuModuleGetFunction"
    there, back = f"{TO_DEVICE} {LAUNCH} {WAIT}", TO_HOST
    steps(
        ("array", "add[1, 32](h, 1)", f"{ALLOCATE} {there} {back}"),
        ("before a flush", "add[1, 32](h, 1)", f"{ALLOCATE} {there} {back}"),
        ("after a flush", "flush(); add[1, 32](h, 1)", f"{there} {back}"),
        ("only read", "flush(); assign[1, 32](x, h)", f"{loaded} {there}"),
        prepare="""
h = np.zeros(925, np.float32)  # with any offset of one size class
flush = cuda.current_context().deallocations.clear
cuda.current_context().memory_manager.trim()
""",
    )


DEBUG = """
@cuda.jit(debug=True, opt=False)
def checked(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value
s = cuda.stream()
"""


def test_debug_launches():
    loaded = f"{ENTER} cuModuleLoadDataEx {ENTER} cuModuleGetFunction cuModuleGetGlobal"
    steps(
        ("first", "checked[1, 32](x, 1)",
         f"{loaded} {ENTER} cuMemHostAlloc {LAUNCH} cuMemcpyDtoHAsync cuMemsetD8Async {WAIT}"),
        ("second", "checked[1, 32](x, 1)", f"{DEBUG_LAUNCH} {WAIT}"),
        ("queued", "checked[1, 32, s](x, 1)", DEBUG_LAUNCH),
        ("waited for", "s.synchronize()", WAIT),
        prepare=DEBUG,
    )  # fmt: skip


COOPERATIVE = """
@cuda.jit
def together(x):
    x[cuda.grid(1)] += 1
    cuda.cg.this_grid().sync()
s = cuda.stream()
"""


def test_cooperative_launches():
    loaded = f"{ENTER} cuModuleLoadDataEx {ENTER} cuModuleGetFunction"
    with_word = f"{ENTER} cuMemAlloc cuMemsetD8Async cuLaunchKernelEx"
    steps(
        ("first", "together[2, 32](x)", f"{loaded} {with_word}"),
        ("second", "together[2, 32](x)", LAUNCH),
        ("first on a stream", "together[2, 32, s](x)", with_word),
        ("second on a stream", "together[2, 32, s](x)", LAUNCH),
        prepare=COOPERATIVE,
    )


def test_copies_between_host_and_device():
    steps(
        ("to the host", "x.copy_to_host()", TO_HOST),
        ("of busy memory", "add[1, 32](x, 1); x.copy_to_host()", f"{LAUNCH} {WAIT} {TO_HOST}"),
        ("to a new array", "y = cuda.to_device(h)", f"{ALLOCATE} {TO_DEVICE}"),
        ("to an array", "y.copy_to_device(h)", TO_DEVICE),
        ("an element", "x[3]", TO_HOST),
        ("to an element", "x[3] = 4", ON_A_STREAM.format(TO_DEVICE)),
        prepare="h = np.zeros(100, np.float32)\ncuda.current_context().memory_manager.trim()\n",
    )


def test_strided_copies_to_the_host_are_one_call_for_each_place_of_the_shorter_axes():
    def rows(count):
        return f"{ENTER} {' '.join(['cuMemcpy2DAsync'] * count)} {WAIT}"

    steps(
        ("1-D", "x[::2].copy_to_host()", rows(1)),
        ("2-D of rows", "z[:, 3].copy_to_host()", rows(1)),
        ("2-D", "z[:, 0, ::2].copy_to_host()", rows(3)),
        ("3-D", "z[::2, ::2, ::2].copy_to_host()", rows(15)),
        prepare="z = cuda.to_device(np.zeros((10, 20, 6), np.float32))\n",
    )


def test_strided_copies_from_the_host():
    steps(
        ("to a dense array", "z[...] = wide[:, :, ::2]", ON_A_STREAM.format(TO_DEVICE)),
        ("to rows", "z[:, ::2] = half", ON_A_STREAM.format(f"{ENTER} cuMemcpy2DAsync {WAIT}")),
        ("one value", "x[:] = 3", ON_A_STREAM.format(TO_DEVICE)),
        prepare="""
z = cuda.to_device(np.zeros((10, 20, 6), np.float32))
wide, half = np.zeros((10, 20, 12), np.float32), np.zeros((10, 10, 6), np.float32)
""",
    )


def test_copies_within_the_device():
    first = f"{ENTER} cuModuleLoadDataEx cuModuleGetFunction cuLaunchKernelEx {WAIT}"
    steps(
        ("dense", "y.copy_to_device(x)", f"{ENTER} cuMemcpyDtoDAsync {WAIT}"),
        ("strided", "y[::2] = x[::2]", ON_A_STREAM.format(first)),
        ("again", "y[1::2] = x[1::2]", ON_A_STREAM.format(f"{LAUNCH} {WAIT}")),
        prepare="y = zeros()\n",
    )


def test_events():
    steps(
        ("made", "a, b, plain = cuda.event(), cuda.event(), cuda.event(timing=False)", ""),
        ("recorded", "a.record(s)", MARK),
        ("without time", "plain.record(s)", MARK),
        ("launch", "add[1, 32, s](x, 1)", LAUNCH),
        ("again", "b.record(s)", MARK),
        ("another stream waits", "b.wait(other)", f"{ENTER} cuStreamWaitEvent"),
        ("asked, as are those after it", "assert a.query()", f"{ASK} {ASK} {ASK}"),
        ("known", "assert a.query(); b.synchronize()", ""),
        ("nothing to wait for", "b.wait(other)", ""),
        ("time", "cuda.event_elapsed_time(a, b)", f"{ENTER} cuEventElapsedTime"),
        prepare="s, other = cuda.stream(), cuda.stream()\n",
    )


def test_streams():
    steps(
        ("made", "s = cuda.stream()", f"{ENTER} cuStreamCreate"),
        ("idle", "s.synchronize()", ""),
        ("launch", "add[1, 32, s](x, 1)", LAUNCH),
        ("waited for", "s.synchronize()", WAIT),
        ("idle again", "s.synchronize()", ""),
        ("the launcher is replaced", "add[1, 32](x, 1)", LAUNCH),
        ("dropped", "del s", ""),
        ("flushed", "cuda.current_context().deallocations.clear()", f"{WAIT} {ENTER} cuStreamDestroy"),
    )


def test_a_dropped_stream_with_work_leaves_a_marker():
    steps(
        ("launch", "add[1, 32, s](x, 1); add[1, 32](y, 1)", f"{LAUNCH} {LAUNCH}"),
        ("dropped", "del s", ""),
        ("flushed", "cuda.current_context().deallocations.clear()", f"{WAIT} {WAIT}"),
        ("the launch has run", "cuda.synchronize()", f"{ENTER} cuCtxSynchronize"),
        ("flushed again", "cuda.current_context().deallocations.clear()", f"{ENTER} cuStreamDestroy"),
        prepare="s, y = cuda.stream(), zeros()\n",
    )


def test_callbacks():
    steps(("added", "s.add_callback(print)", f"{ENTER} cuLaunchHostFunc"), prepare="s = cuda.stream()\n")


DROPS = """
context = cuda.current_context()
context.memory_manager.trim()
first, second = cuda.stream(), cuda.stream()
arrays = [cuda.device_array(64, np.float32) for _ in range(9)]
for array in arrays:
    add[1, 32, first](array[:32], 1)
    add[1, 32, second](array[32:], 1)
del array
"""


def test_a_flush_makes_one_marker_for_each_stream():
    """However many arrays are in the queue: they go to the cache, and are freed one by one when it is emptied."""
    steps(
        ("dropped", "arrays.clear()", ""),
        ("flushed", "context.deallocations.clear()", f"{WAIT} {WAIT}"),
        ("again", "context.deallocations.clear()", ""),
        ("reused", "arrays = [cuda.device_array(64, np.float32) for _ in range(9)]", ""),
        ("trimmed", "arrays.clear(); context.deallocations.clear(); context.memory_manager.trim()",
         " ".join([FREE] * 9)),
        prepare=DROPS,
    )  # fmt: skip


@pytest.mark.parametrize(("kind", "made", "freed"), [
    ("pinned_array", "cuMemHostAlloc", "cuMemFreeHost"),
    ("mapped_array", "cuMemHostAlloc", "cuMemFreeHost"),
    ("managed_array", "cuMemAllocManaged", "cuMemFree"),
])  # fmt: skip
def test_memory_that_the_host_sees(kind, made, freed):
    steps(
        ("made", f"p = cuda.{kind}(100, np.float32)", f"{ENTER} {made}"),
        ("launch", "add[4, 32, s](p, 1)", LAUNCH),
        ("waited for", "s.synchronize()", WAIT),
        ("dropped", "del p", ""),
        ("flushed", "cuda.current_context().deallocations.clear()", f"{ENTER} {freed}"),
        prepare="s = cuda.stream()\n",
    )


def test_registered_memory():
    steps(
        ("pinned", "pin = cuda.pinned(h); pin.__enter__()", f"{ENTER} cuMemHostRegister"),
        ("unpinned", "pin.__exit__(None, None, None)", f"{ENTER} cuMemHostUnregister"),
        prepare="h = np.zeros(100, np.float32)\n",
    )


FAILS = """
h = np.zeros(100, np.float32)

def fails(call, function="cuEventRecord", nth=1):
    fake.inject(function, fake.UNKNOWN, nth)
    try:
        call()
    except errors.CudaAPIError as error:
        assert error.code == fake.UNKNOWN
    else:
        raise AssertionError("nothing has failed")
"""


def test_memory_is_unpinned_behind_a_copy_whose_wait_has_failed():
    steps(
        ("pinned", "pin = cuda.pinned(h); pin.__enter__()", f"{ENTER} cuMemHostRegister"),
        ("copy", "fails(lambda: x.copy_to_device(h))", TO_DEVICE_FAILS),
        ("unpinned", "pin.__exit__(None, None, None)", f"{ENTER} cuCtxSynchronize cuMemHostUnregister"),
        ("pinned again", "pin = cuda.pinned(h); pin.__enter__()", f"{ENTER} cuMemHostRegister"),
        ("unpinned again", "pin.__exit__(None, None, None)", f"{ENTER} cuMemHostUnregister"),
        prepare=FAILS,
    )


def test_mapped_memory_is_unpinned_behind_kernels_whose_wait_has_failed():
    steps(
        ("mapped", "with_ = cuda.mapped(h); m = with_.__enter__()", f"{ENTER} cuMemHostRegister"),
        ("launch", "add[1, 32](m, 1)", LAUNCH),
        ("unmapped", "fails(lambda: with_.__exit__(None, None, None))",
         f"{MARK} {TOLD} {ENTER} cuCtxSynchronize cuMemHostUnregister"),
        prepare=FAILS,
    )  # fmt: skip


def test_a_copy_of_which_a_part_has_failed_is_waited_for():
    rows = " ".join(["cuMemcpy2DAsync"] * 2)
    steps(
        ("copy", "fails(lambda: z[:, 0, ::2].copy_to_host(), 'cuMemcpy2DAsync', nth=2)",
         f"{ENTER} {rows} {TOLD} {ENTER} cuStreamSynchronize"),
        prepare=FAILS + "z = cuda.to_device(np.zeros((10, 20, 6), np.float32))\n",
    )  # fmt: skip


def test_a_debug_launch_whose_errors_cannot_be_read_is_waited_for():
    """Nobody notes what it uses."""
    steps(
        ("launch", "fails(lambda: checked[1, 32, s](x, 1), 'cuMemcpyDtoHAsync')",
         f"{ENTER} {LAUNCH} cuMemcpyDtoHAsync {TOLD} {ENTER} cuStreamSynchronize"),
        prepare=FAILS + DEBUG + "checked[1, 32, s](x, 1); s.synchronize()\n",
    )  # fmt: skip


def test_a_stream_that_ends_with_unfinished_work_leaves_a_marker():
    """Without it, no wait for the whole device would end."""
    steps(
        ("copy on a stream of its own", "fails(lambda: x.__setitem__(3, 4))",
         f"{ENTER} cuStreamCreate {TO_DEVICE_FAILS} {WAIT} {ENTER} cuStreamDestroy"),
        prepare=FAILS,
    )  # fmt: skip


def test_figures_of_memory():
    steps(("asked", "cuda.current_context().get_memory_info()", f"{ENTER} cuMemGetInfo"))


def test_synchronize():
    steps(
        ("idle", "cuda.synchronize()", f"{ENTER} cuCtxSynchronize"),
        ("legacy", "add[1, 32](x, 1); cuda.synchronize()", f"{LAUNCH} {WAIT} {ENTER} cuCtxSynchronize"),
        ("others", "add[1, 32, s](x, 1); add[1, 32, other](y, 1); cuda.synchronize()",
         f"{LAUNCH} {LAUNCH} {WAIT} {WAIT} {ENTER} cuCtxSynchronize"),
        ("default stream", "add[1, 32](x, 1); cuda.default_stream().synchronize()", f"{LAUNCH} {WAIT}"),
        prepare="s, other, y = cuda.stream(), cuda.stream(), zeros()\n",
    )  # fmt: skip


@functools.cache
def after_reset():
    return runs.answer(WARM + """
device = cuda.get_current_device()
s = cuda.stream()
add[1, 32, s](x, 1)
with fake.trace() as reset:
    device.reset()
with fake.trace() as dropped:
    del x, s
    cuda.current_context().deallocations.clear()
with fake.trace() as used:
    x = zeros()
    add[1, 32](x, 1)
print(json.dumps([reset.names, dropped.names, used.names]))
""", FAKE_CUDA_QUERIES="0")  # fmt: skip


def test_a_reset_waits_frees_the_cache_and_ends_the_context():
    reset, _, _ = after_reset()
    assert reset[:4] == WAIT.split()
    assert sorted(reset[-2:]) == ["cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset"]
    assert set(reset[4:-2]) <= {ENTER, "cuMemFree", "cuStreamDestroy", "cuModuleUnload"}


def test_what_a_reset_has_ended_is_dropped_without_a_call():
    _, dropped, _ = after_reset()
    assert dropped == []


def test_the_first_use_after_a_reset_makes_everything_anew():
    _, _, used = after_reset()
    first = "cuDevicePrimaryCtxRetain cuCtxGetCurrent cuMemAlloc cuCtxGetCurrent cuMemcpyHtoDAsync"
    marked = f"{ENTER} cuEventCreate cuEventRecord {ASK}"
    assert " ".join(used) == f"{first} {marked} {ENTER} cuModuleLoadDataEx {ENTER} cuModuleGetFunction {LAUNCH}"


def test_the_exit_makes_no_calls():
    """What is alive then is left to the system: the driver may already be gone. (The stand-in would end the process
    for a call after its own exit has begun.)"""
    runs.run(WARM + """
import atexit, os
streams = [cuda.stream() for _ in range(4)]
arrays = [zeros() for _ in streams]
cuda.synchronize()
for s, array in zip(streams, arrays):
    add[1, 32, s](array, 1)
kept = [cuda.event(), cuda.pinned_array(4), cuda.mapped_array(4), cuda.managed_array(4)]
kept[0].record()
""")  # fmt: skip
