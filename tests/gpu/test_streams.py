"""Streams and events: order, overlap of copies and kernels, many streams and threads."""

import threading

import numpy as np
import pytest
from gpu_borrowed import ON_STAND_IN
from treadle import cuda


@cuda.jit
def step(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * 3 + 1


@cuda.jit
def waits(flag, out):
    """Until the host, or a copy, has written the flag."""
    while flag[0] == 0:
        cuda.threadfence_system()
    out[0] = 7


def stepped(x, times):
    for _ in range(times):
        x = x * 3 + 1
    return x


def test_many_streams():
    streams = [cuda.stream() for _ in range(8)]
    hosts = [cuda.pinned_array(10_000, np.int64) for _ in streams]
    results = [cuda.pinned_array(10_000, np.int64) for _ in streams]
    for number, host in enumerate(hosts):
        host[:] = number
    arrays = [cuda.to_device(host, stream=stream) for host, stream in zip(hosts, streams)]
    for _ in range(10):
        for array, stream in zip(arrays, streams):
            step[40, 256, stream](array)
    for array, stream, result in zip(arrays, streams, results):
        array.copy_to_host(result, stream=stream)
    for number, (stream, result) in enumerate(zip(streams, results)):
        stream.synchronize()
        assert (result == stepped(number, 10)).all()


@pytest.mark.skipif(ON_STAND_IN, reason="the stand-in refuses that the kernel and the copy race")
def test_a_copy_overlaps_a_kernel():
    """The kernel ends only if the copy on another stream runs beside it."""
    one, two = cuda.stream(), cuda.stream()
    flag, out = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(1, np.int32))
    host = cuda.pinned_array(1, np.int32)
    host[0] = 1
    cuda.synchronize()
    waits[1, 1, one](flag, out)
    flag.copy_to_device(host, stream=two)
    one.synchronize()
    assert out.copy_to_host()[0] == 7


def test_a_kernel_sees_what_the_host_writes_meanwhile():
    flag, out = cuda.mapped_array(1, np.int32), cuda.mapped_array(1, np.int32)
    flag[0] = out[0] = 0
    stream = cuda.stream()
    waits[1, 1, stream](flag, out)
    flag[0] = 1
    stream.synchronize()
    assert out[0] == 7


def test_events_order_streams():
    one, two, done = cuda.stream(), cuda.stream(), cuda.event()
    x = cuda.to_device(np.ones(100_000))
    for _ in range(20):
        step[400, 256, one](x)
    done.record(one)
    done.wait(two)
    step[400, 256, two](x)
    two.synchronize()
    assert done.query()
    np.testing.assert_array_equal(x.copy_to_host(), np.full(100_000, stepped(1.0, 21)))


def test_times_between_events_rise():
    stream, marks = cuda.stream(), [cuda.event() for _ in range(4)]
    x = cuda.to_device(np.ones(1_000_000))
    for mark in marks:
        mark.record(stream)
        for _ in range(20):
            step[4000, 256, stream](x)
    stream.synchronize()
    times = [cuda.event_elapsed_time(marks[0], mark) for mark in marks[1:]]
    assert 0 < times[0] < times[1] < times[2]


def test_the_default_stream_waits_for_others():
    stream = cuda.stream()
    x = cuda.to_device(np.ones(1_000_000))
    for _ in range(20):
        step[4000, 256, stream](x)
    step[4000, 256](x)
    assert (x.copy_to_host() == stepped(1.0, 21)).all()


def test_threads_launch_at_once():
    results, barrier = [None] * 6, threading.Barrier(6)

    def work(number):
        cuda.select_device(0)
        stream = cuda.stream()
        x = cuda.to_device(np.full(50_000, number))
        barrier.wait()
        for _ in range(50):
            step[200, 256, stream](x)
        results[number] = x.copy_to_host(stream=stream)
        stream.synchronize()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with np.errstate(over="ignore"):
        for number, result in enumerate(results):
            assert (result == stepped(np.int64(number), 50)).all()


def test_callbacks_come_in_the_order_of_the_stream():
    stream, called = cuda.stream(), []
    everything = threading.Event()
    for number in range(5):
        stream.add_callback(lambda _stream, _status, arg: called.append(arg), number)
    stream.add_callback(lambda *_: everything.set(), None)
    assert everything.wait(60)
    assert called == list(range(5))
