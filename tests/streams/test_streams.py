"""Streams and events: order, overlap with the host, lifetimes, callbacks, awaiting."""

import asyncio
import faulthandler
import gc
import threading
import time
import weakref

import numpy as np
import pytest
import remote
from treadle import cuda
from treadle.errors import CudaAPIError


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def times_ten_plus(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 10 * x[i] + value


@cuda.jit
def wait_for(flag, out):
    while flag[0] == 0:
        cuda.threadfence_system()
    out[0] += 1


@cuda.jit
def printing(x):
    if cuda.grid(1) == 0:
        print("from a stream", x[0])


@pytest.fixture(autouse=True)
def no_hang():
    """After two minutes, prints all stacks and ends the process."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(autouse=True, scope="module")
def loaded():
    """CUDA may wait for running kernels before it loads another: none is loaded while a gate is closed."""
    device = cuda.to_device(np.zeros(1))
    add[1, 32](device, 1)
    times_ten_plus[1, 32](device, 1)
    wait_for[1, 1](cuda.to_device(np.ones(1, np.int32)), cuda.to_device(np.zeros(1, np.int32)))
    cuda.synchronize()


class Gate:
    """A stream that waits until the gate is opened, in a kernel that polls host memory."""

    def __init__(self, stream):
        self.flag = cuda.mapped_array(1, np.int32)
        self.flag[0] = 0
        wait_for[1, 1, stream](self.flag, cuda.to_device(np.zeros(1, np.int32)))

    def open(self):
        self.flag[0] = 1


STREAMS = {
    "default": cuda.default_stream,
    "legacy": cuda.legacy_default_stream,
    "per thread": cuda.per_thread_default_stream,
    "blocking": cuda.stream,
    "nonblocking": lambda: cuda.stream(nonblocking=True),
}


@pytest.mark.parametrize("make", STREAMS.values(), ids=STREAMS)
def test_launches_and_copies_run_in_order(make):
    stream = make()
    device = cuda.to_device(np.zeros(1000), stream=stream)
    for value in range(9):
        times_ten_plus[4, 256, stream](device, value)
    host = np.empty(1000)
    assert device.copy_to_host(host, stream=stream) is host
    assert (host == 12345678).all()


def test_the_host_goes_on_while_a_stream_runs():
    stream = cuda.stream()
    gate = Gate(stream)
    device = cuda.to_device(np.ones(100), stream=cuda.stream())
    add[1, 128, stream](device, 5)
    event = cuda.event()
    event.record(stream)
    assert not event.query()
    gate.open()
    event.synchronize()
    assert event.query()
    assert (device.copy_to_host() == 6).all()


def test_the_default_stream_waits_for_blocking_streams_and_they_for_it():
    first, last = cuda.stream(), cuda.stream()
    device = cuda.to_device(np.zeros(10))
    gate = Gate(first)
    times_ten_plus[1, 32, first](device, 1)
    times_ten_plus[1, 32](device, 2)
    times_ten_plus[1, 32, last](device, 3)
    event = cuda.event()
    event.record(last)
    # Work that waits for nothing ends while the gate is closed, and so before the work that it must follow.
    soon = time.monotonic() + 0.3
    while time.monotonic() < soon and not event.query():
        time.sleep(0.001)
    gate.open()
    assert (device.copy_to_host() == 123).all()


def test_nonblocking_streams_and_the_default_stream_do_not_wait_for_each_other():
    stream = cuda.stream(nonblocking=True)
    gate = Gate(stream)
    device = cuda.to_device(np.zeros(10))
    add[1, 32](device, 1)
    assert (device.copy_to_host() == 1).all()
    gate.open()
    stream.synchronize()


def test_host_arrays_are_there_when_the_launch_returns():
    stream = cuda.stream()
    x = np.zeros(100)
    gate = Gate(stream)
    threading.Timer(0.05, gate.open).start()
    add[1, 128, stream](x, 3)
    assert (x == 3).all()


def test_a_copy_to_a_busy_stream_takes_what_the_host_has_now():
    stream = cuda.stream()
    gate = Gate(stream)
    device = cuda.device_array((4, 6), np.int32)
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    device.copy_to_device(host, stream=stream)
    host[:] = -1
    gate.open()
    assert (device.copy_to_host(stream=stream) == np.arange(24).reshape(4, 6)).all()


def test_memory_lives_until_the_launch_has_run():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(1 << 16))
    view = device[5:]
    gate = Gate(stream)
    add[256, 256, stream](view, 1)
    del device, view
    others = [cuda.device_array(1 << 16) for _ in range(8)]
    for other in others:
        other[:] = 7
    gate.open()
    stream.synchronize()
    assert all((other.copy_to_host() == 7).all() for other in others)


def test_kernels_live_until_the_launch_has_run():
    def make():
        @cuda.jit
        def local(x):
            x[cuda.grid(1)] += 1

        return local

    stream = cuda.stream()
    device = cuda.to_device(np.zeros(32))
    kernel = make()
    kernel[1, 32](device)
    gate = Gate(stream)
    kernel[1, 32, stream](device)
    code = weakref.ref(kernel)
    del kernel
    gc.collect()
    gate.open()
    stream.synchronize()
    assert (device.copy_to_host() == 2).all()
    cuda.synchronize()
    add[1, 32](device, 0)  # a thread with the GIL drops the references that streams have released
    gc.collect()
    assert code() is None


def test_a_stream_that_is_dropped_runs_what_it_has():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(32))
    gate = Gate(stream)
    add[1, 32, stream](device, 1)
    del stream
    gc.collect()
    gate.open()
    assert (device.copy_to_host() == 1).all()


def test_what_the_host_looks_at_has_been_written():
    stream = cuda.stream(nonblocking=True)
    device = cuda.to_device(np.zeros(32))
    gate = Gate(stream)
    add[1, 32, stream](device, 1)
    threading.Timer(0.05, gate.open).start()
    assert (remote.seen(device, stream) == 1).all()
    gate = Gate(stream)
    add[1, 32, stream](device, 1)
    threading.Timer(0.05, gate.open).start()
    assert (np.asarray(device) == 2).all()


def test_captured_arrays_are_used_as_arguments_are():
    captured = cuda.to_device(np.zeros(32))

    @cuda.jit
    def add_to_captured(amount):
        captured[cuda.grid(1)] += amount

    stream = cuda.stream(nonblocking=True)
    gate = Gate(stream)
    add_to_captured[1, 32, stream](1)
    threading.Timer(0.05, gate.open).start()
    assert (remote.seen(captured, stream) == 1).all()


def test_events_order_streams():
    one, other = cuda.stream(), cuda.stream()
    device = cuda.to_device(np.zeros(10))
    gate = Gate(one)
    times_ten_plus[1, 32, one](device, 1)
    event = cuda.event()
    event.record(one)
    event.wait(other)
    times_ten_plus[1, 32, other](device, 2)
    event.record(other)  # a new point; earlier waits are for the previous one
    gate.open()
    event.synchronize()
    assert (device.copy_to_host() == 12).all()


def test_elapsed_time_is_in_milliseconds():
    stream = cuda.stream()
    start, end = cuda.event(), cuda.event(timing=True)
    start.record(stream)
    gate = Gate(stream)
    end.record(stream=stream)
    time.sleep(0.05)
    gate.open()
    end.synchronize()
    elapsed = start.elapsed_time(end)
    assert isinstance(elapsed, float) and 49 < elapsed < 5000
    assert cuda.event_elapsed_time(start, end) == elapsed
    assert cuda.event_elapsed_time(end, start) == -elapsed


def test_events_that_have_no_time():
    recorded, never, untimed, pending = cuda.event(), cuda.event(), cuda.event(timing=False), cuda.event()
    recorded.record()
    untimed.record()
    stream = cuda.stream()
    gate = Gate(stream)
    pending.record(stream)
    for first, second, code, text in (
        (recorded, never, 400, "the end event was never recorded"),
        (never, recorded, 400, "the start event was never recorded"),
        (untimed, recorded, 400, "timing=False"),
        (recorded, pending, 600, "synchronize"),
    ):
        with pytest.raises(CudaAPIError, match=text) as raised:
            first.elapsed_time(second)
        assert raised.value.code == code
    gate.open()
    stream.synchronize()
    assert recorded.elapsed_time(pending) > 0
    assert never.query()
    never.synchronize()
    never.wait()


def test_auto_synchronize():
    device = cuda.to_device(np.zeros(1000))
    with cuda.stream().auto_synchronize() as stream:
        for _ in range(50):
            add[4, 256, stream](device, 1)
        event = cuda.event()
        event.record(stream)
    assert event.query()


def test_callbacks_are_called_in_order_and_may_use_the_stream():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(10))
    calls, done = [], threading.Event()

    def first(*arguments):
        calls.append(arguments)
        add[1, 32, stream](device, 1)
        stream.synchronize()

    gate = Gate(stream)
    stream.add_callback(first, "text")
    stream.add_callback(lambda *arguments: calls.append(arguments))
    stream.add_callback(lambda *_: done.set())
    assert calls == []
    gate.open()
    assert done.wait(20)
    assert calls == [(stream, 0, "text"), (stream, 0, None)]
    assert (device.copy_to_host() == 1).all()


def test_launches_do_not_wait_for_a_callback():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(32))
    let_go, called = threading.Event(), threading.Event()
    stream.add_callback(lambda *_: (let_go.wait(20), called.set()))
    for _ in range(5000):
        add[1, 32, stream](device, 1)
    stream.synchronize()
    assert (device.copy_to_host() == 5000).all()
    assert not called.is_set()
    let_go.set()
    assert called.wait(20)


def test_what_a_callback_raises_becomes_a_warning(run_python):
    code = """
import threading, warnings
from treadle import cuda
stream, done, seen = cuda.stream(), threading.Event(), []
warnings.showwarning = lambda message, category, *rest: seen.append((category.__name__, str(message)))
def fail(stream, status, arg):
    raise KeyError(arg)
stream.add_callback(fail, 5)
stream.add_callback(lambda *_: done.set())
assert done.wait(20)
print(seen[0][0], "KeyError(5)" in seen[0][1])
"""
    assert run_python(code) == "RuntimeWarning True\n"


def test_async_done():
    async def main():
        stream = cuda.stream()
        gate = Gate(stream)
        waiting = stream.async_done()
        await asyncio.sleep(0.01)
        assert not waiting.done()
        gate.open()
        assert await asyncio.wait_for(waiting, 20) is stream

    asyncio.run(main())


def test_what_kernels_print_comes_with_the_next_synchronisation(capsys):
    stream = cuda.stream()
    device = cuda.to_device(np.full(4, 2.5))
    gate = Gate(stream)
    printing[1, 4, stream](device)
    assert capsys.readouterr().out == ""
    gate.open()
    stream.synchronize()
    assert capsys.readouterr().out == "from a stream 2.500000\n"


def test_each_thread_has_its_own_default_stream(run_python):
    code = """
import threading
import numpy as np
from treadle import cuda

@cuda.jit
def wait_for(flag):
    while flag[0] == 0:
        cuda.threadfence_system()

@cuda.jit
def put(x):
    x[0] = 1

flag = cuda.mapped_array(1, np.int32)
flag[0] = 0
x = cuda.to_device(np.zeros(1))
waiting = threading.Thread(target=lambda: wait_for[1, 1](flag))
waiting.start()
put[1, 1](x)
print(int(x.copy_to_host()[0]))
flag[0] = 1
waiting.join()
"""
    assert run_python(code, TREADLE_PER_THREAD_DEFAULT_STREAM="1") == "1\n"
    assert run_python(code, NUMBA_CUDA_PER_THREAD_DEFAULT_STREAM="1") == "1\n"


def test_the_process_ends_with_work_on_streams(run_python):
    code = """
import numpy as np
from treadle import cuda

@cuda.jit
def spin(flag):
    while flag[0] == 0:
        cuda.threadfence_system()

stream = cuda.stream()
flag = cuda.to_device(np.zeros(1, np.int32))
for _ in range(3000):  # some of them arrive while Python ends
    stream.add_callback(lambda *_: None)
spin[1, 1, stream](flag)
spin[1, 1](flag)
print("end")
"""
    assert run_python(code) == "end\n"


def test_a_child_has_streams_without_its_parents_work(run_python):
    code = """
import os, warnings
import numpy as np
from treadle import cuda
warnings.simplefilter("ignore")  # Python's own, about forks with threads

@cuda.jit
def wait_for(flag):
    while flag[0] == 0:
        cuda.threadfence_system()

@cuda.jit
def add(x, value):
    x[cuda.grid(1)] += value

stream, event = cuda.stream(), cuda.event()
flag, x = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(32))
host_flag = flag.host_view()
add[1, 32](x, 1)
wait_for[1, 1, stream](flag)
add[1, 32, stream](x, 10)
event.record(stream)
child = os.fork()
if child == 0:
    add[1, 32, stream](x, 100)
    add[1, 32](x, 1000)
    event.synchronize()
    cuda.synchronize()
    os._exit(0 if (x.copy_to_host() == 1101).all() else 1)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
host_flag[0] = 1
stream.synchronize()
print(status, x.copy_to_host()[0])
"""
    assert run_python(code) == "0 11.0\n"


def test_many_threads_use_many_streams():
    device = cuda.to_device(np.zeros(64, np.int64))
    problems = []

    def work(seed):
        try:
            streams = [cuda.stream(), cuda.stream(nonblocking=True), cuda.per_thread_default_stream(), 0]
            own = cuda.to_device(np.zeros(64, np.int64))
            for turn in range(60):
                stream = streams[(turn + seed) % 4]
                if turn % 4 == 0:
                    cuda.synchronize()
                add[1, 64, stream](own, 1)
                if turn % 4 != 3:
                    event = cuda.event()
                    event.record(stream)
                    event.wait(streams[(turn + seed + 1) % 4])
                else:
                    cuda.synchronize()
            cuda.synchronize()
            assert (own.copy_to_host() == 60).all(), own.copy_to_host()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems
    del device
