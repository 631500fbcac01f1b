"""A program that uses all of the CUDA device, and what becomes of it when one call of the driver fails.

`python fault_scenario.py record` prints the calls; `run`, with faults as JSON on stdin, prints what each led to.
A fault is [function, which of its calls, result, mode, program], where the program is of PROGRAMS: `fresh` runs in a
child that is forked before the driver is first used, so that importing is paid for once; `again` in a child that has
run it already and has reset the device, with some other faults before it.
"""

import collections
import gc
import importlib
import json
import os
import signal
import sys
import threading
import traceback
import warnings

import fake
import numpy as np
from treadle import cuda, errors

WORD = 4
SECONDS = 60  # of a run, which takes a fraction of one
IN_TURN = 20  # runs of a process: the stand-in keeps what was destroyed and looks through it
SUPPORT = {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount"}
OPENING = SUPPORT | {"cuDeviceGet", "cuDeviceGetAttribute", "cuDeviceTotalMem"}
# Failures that nobody can be told of, or that are told by whatever comes next.
SILENT = {
    "cuDeviceGetName": "the device gets a general name",
    "cuDevicePrimaryCtxReset": "of a lost context: it is gone anyway",
    "cuDevicePrimaryCtxRelease": "of a lost context: it is gone anyway",
    "cuDriverGetVersion": "only asked to say that a driver is too old",
    "cuEventCreate": "in a look at how far a stream is; the next wait looks again",
    "cuEventRecord": "in a look",
    "cuEventQuery": "in a look",
    "cuModuleUnload": "as a destructor",
    "cuStreamDestroy": "as a destructor",
    "cuCtxGetCurrent": "in a look, or a destructor",
    "cuThreadExchangeStreamCaptureMode": "the call that follows tells what is wrong",
}
ENDS_CONTEXT = {fake.ILLEGAL_ADDRESS, fake.CONTEXT_IS_DESTROYED, fake.LAUNCH_FAILED}


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit(debug=True, opt=False)
def checked(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def together(x):
    x[cuda.grid(1)] += 1
    cuda.cg.this_grid().sync()


def copies():
    x = cuda.to_device(np.zeros(64, np.float32))
    add[2, 32](x, 1)
    assert (x.copy_to_host() == 1).all()
    host = np.zeros(64, np.float32)
    add[2, 32](host, 2)
    assert (host == 2).all()
    y = cuda.device_array((4, 8, 6), np.float32)
    wide = np.zeros((4, 8, 12), np.float32)
    wide[:, :, ::2] = np.arange(192).reshape(4, 8, 6)
    y[...] = wide[:, :, ::2]
    assert y[::2, ::2, ::2].copy_to_host().sum() == sum(
        48 * i + 6 * j + k for i in (0, 2) for j in (0, 2, 4, 6) for k in (0, 2, 4)
    )
    y[:, ::2] = y[:, 1::2]
    assert y[0, 0].copy_to_host().tolist() == [6, 7, 8, 9, 10, 11]
    z = cuda.device_array(64, np.float32)
    z.copy_to_device(x)
    assert z[3] == 1
    w = cuda.device_array((2, 3, 7), np.float32)
    w[:, :, ::2] = y[::3, ::3, :4]
    assert w[0, 1, ::2].copy_to_host().tolist() == [18, 19, 20, 21]
    assert w[1, 2, ::2].copy_to_host().tolist() == [186, 187, 188, 189]
    checked[2, 32](x, 3)
    assert (x.copy_to_host() == 4).all()
    together[2, 32](x)
    assert (x.copy_to_host() == 5).all()


def streams():
    first, second = cuda.stream(), cuda.stream(nonblocking=True)
    x = cuda.to_device(np.zeros(64, np.float32), stream=first)
    begin, end = cuda.event(), cuda.event()
    begin.record(first)
    add[2, 32, first](x, 1)
    checked[2, 32, first](x, 1)
    end.record(first)
    end.wait(second)
    add[2, 32, second](x, 1)
    together[2, 32, second](x)
    called = threading.Event()
    second.add_callback(lambda *_: called.set())
    second.synchronize()
    assert called.wait(SECONDS)
    for _ in range(100):  # a query may fail without saying so, once
        if end.query():
            break
    assert cuda.event_elapsed_time(begin, end) >= 0
    assert (x.copy_to_host(stream=second) == 4).all()


def graphs():
    stream = cuda.stream()
    x, pinned = cuda.to_device(np.zeros(64, np.float32)), cuda.pinned_array(64, np.float32)
    pinned[:] = 3
    launch = add.bind(2, 32, stream, x, 0)
    launch()
    stream.synchronize()
    with cuda.graph(stream) as graph:
        between = cuda.device_array(64, np.float32)
        between.copy_to_device(pinned)
        add[2, 32](between, 1)
        checked[2, 32](between, 1)
        together[2, 32](between)
        x.copy_to_device(between)
        launch()
        del between
    graph.replay()
    graph.replay()
    launch[1] = 10
    launch()
    assert (x.copy_to_host(stream=stream) == 16).all()


def host_memory():
    arrays = [cuda.pinned_array(64, np.float32), cuda.mapped_array(64, np.float32), cuda.managed_array(64, np.float32)]
    for array in arrays:
        array[:] = 1
    for array in arrays[1:]:
        add[2, 32](array, 1)
    cuda.synchronize()
    assert all((array == 2).all() for array in arrays[1:])
    host = np.zeros(1000, np.float32)
    with cuda.pinned(host):
        x = cuda.to_device(host)
        assert (x.copy_to_host() == 0).all()


def ends():
    context = cuda.current_context()
    assert context.get_memory_info().total > 0
    context.deallocations.clear()
    context.memory_manager.trim()
    cuda.synchronize()


def scenario():
    copies()
    streams()
    graphs()
    host_memory()
    gc.collect()
    ends()


def whole():
    scenario()
    cuda.get_current_device().reset()
    scenario()


def again():
    scenario()
    cuda.get_current_device().reset()


PROGRAMS = {"fresh": whole, "again": again}


def counted():
    """How many resources of each kind live, but for the words of grid barriers, of which each stream has one."""
    gc.collect()
    counts = dict.fromkeys("stream event module device managed pinned registered graph graph-exec".split(), 0)
    for one in fake.live():
        if one.kind in counts and one.bytes != WORD:
            counts[one.kind] += 1
    return counts


def baseline():
    """What lives after two whole programs."""
    whole()
    whole()
    ends()
    return counted()


def check_lost():
    """Nothing but DeviceLost, and no call of the driver, until the reset."""
    begin = fake.call_count()
    for use in (copies, streams, graphs, host_memory, cuda.synchronize, cuda.stream, lambda: cuda.pinned_array(3)):
        try:
            use()
        except errors.DeviceLost:
            continue
        raise AssertionError(f"{use} works on a lost device")
    gc.collect()
    made = [call.name for call in fake.calls(begin)]
    assert not made, f"the lost device was asked {made}"


def judge(fault, error):
    """Whether it is the exception that this fault must lead to."""
    function, _, result, _, _ = fault
    if result in ENDS_CONTEXT and function not in OPENING | {"cuDevicePrimaryCtxRetain"}:
        assert isinstance(error, errors.DeviceLost), f"{error!r} where the device is lost"
    elif function in OPENING and isinstance(error, errors.CudaSupportError):
        return
    elif result == fake.OUT_OF_MEMORY:
        assert isinstance(error, (errors.CudaAPIError, MemoryError)), repr(error)
        assert not isinstance(error, errors.CudaAPIError) or error.code == result, repr(error)
    else:
        assert isinstance(error, errors.CudaAPIError), repr(error)
        assert error.code == result, f"{error!r} for {result}"


def attempt(fault, work):
    """What the program does with the fault: the exception, or the warnings."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            work()
        except (errors.CudaDriverError, errors.CudaSupportError, MemoryError) as error:
            judge(fault, error)
            traceback.clear_frames(error.__traceback__)
            return f"{type(error).__name__}: {error}"
    strange = [one for one in warned if not issubclass(one.category, errors.TreadleWarning)]
    assert not strange, strange
    return "; ".join(f"warned: {one.message}" for one in warned) or "silent"


def recover(function, what):
    """Resets a device that is lost, and runs the program."""
    lost = False
    try:
        cuda.synchronize()
    except errors.DeviceLost:
        lost = True
        check_lost()
        cuda.get_current_device().reset()
    assert not what.startswith("DeviceLost") or lost or function.startswith("cuDevicePrimaryCtx"), f"{what}; not lost"
    scenario()
    ends()


def suffer(fault, expected):
    """Runs the program with the fault and then without it, and returns what the fault led to. Ends with a reset."""
    function, nth, result, mode, program = fault
    before, frees_before = fake.faults_happened(), fake.failed_frees()
    fake.clear_trace()
    fake.inject(function, result, nth, mode)
    what = attempt(fault, PROGRAMS[program])
    assert fake.faults_happened() == before + 1, "the fault has not happened"
    fake.clear_faults()
    gc.collect()
    if what == "silent":
        assert function in SILENT or result == fake.OUT_OF_MEMORY, "the fault was swallowed"
    with warnings.catch_warnings(record=True) as warned:  # of memory that could not be freed, which is told later
        warnings.simplefilter("always")
        recover(function, what)
    assert all("its memory is lost" in str(one.message) for one in warned), warned
    # What a failed call would have freed is lost, also if the call that it needs before has failed.
    unreached = function in ("cuCtxGetCurrent", "cuCtxSetCurrent")
    failed_frees = fake.failed_frees() - frees_before
    now, spared = counted(), max(failed_frees, len(warned), what.count("its memory is lost"), unreached)
    grown = {kind: (count, expected[kind]) for kind, count in now.items() if count > expected[kind] + spared}
    assert not grown, f"leaked: (now, expected) {grown}\n" + "\n".join(str(one) for one in fake.live())
    again()
    return what


def answer_all(works, writer):
    """Writes an answer for each, until one fails: what comes after it may fail because of it."""
    for work in works:
        signal.alarm(SECONDS)
        try:
            answer = [True, work()]
        except BaseException:
            answer = [False, traceback.format_exc()[-3000:]]
        os.write(writer, ("\n" + json.dumps(answer) + "\n").encode())
        if not answer[0]:
            break
    sys.stderr.flush()
    os._exit(0)


def in_child(*works):
    """For each work until the first that fails: [True, what it returns], or [False, what is wrong]."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.dup2(writer, 2)
        answer_all(works, writer)
    os.close(writer)
    with os.fdopen(reader) as words:
        said = words.read().splitlines()
    _, status = os.waitpid(child, 0)
    answers = [json.loads(line) for line in said if line.startswith(("[true, ", "[false, "))]
    noise = "\n".join(line for line in said if line and not line.startswith(("[true, ", "[false, ")))
    code = os.waitstatus_to_exitcode(status)
    if code:
        answers.append([False, f"the process ended with {code}: {noise[-2000:]}"])
    elif noise:
        answers[-1] = [False, f"it says: {noise}"]
    return answers


def result_in_child(work):
    [(good, result)] = in_child(work)
    assert good, result
    return result


def record():
    """How often each program calls each function, and the treadle modules that were imported."""
    whole()
    fresh = collections.Counter(call.name for call in fake.calls())
    cuda.get_current_device().reset()
    begin = fake.call_count()
    again()
    counts = {"fresh": fresh, "again": collections.Counter(call.name for call in fake.calls(begin))}
    return counts, [name for name in sys.modules if name.startswith("treadle.")]


def prepare():
    """Imports once what all children need. `again` is to call the same whatever ran before: nothing is dropped by a
    collection that begins at some moment of its own."""
    for name in result_in_child(record)[1]:
        importlib.import_module(name)
    gc.disable()
    gc.collect()
    gc.freeze()


def run(faults, expected):
    """Yields (fault, whether it is treated well, what it led to)."""
    in_turn = [fault for fault in faults if fault[-1] == "again"]
    for fault in faults:
        if fault[-1] == "fresh":
            yield fault, *in_child(lambda fault=fault: suffer(fault, expected))[0]
    while in_turn:
        works = [lambda fault=fault: suffer(fault, expected) for fault in in_turn[:IN_TURN]]
        for answer in in_child(again, *works)[1:]:
            yield in_turn.pop(0), *answer


def main():
    sys.setrecursionlimit(10000)
    prepare()
    if sys.argv[1] == "record":
        counts = result_in_child(record)[0]
        plausible = {name: fake.plausible_errors(name) for name in counts["fresh"]}
        print(json.dumps([counts, plausible, result_in_child(baseline)]))
        return
    for answer in run(*json.load(sys.stdin)):
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
