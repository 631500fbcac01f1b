"""Errors of queued kernels are raised by the call that waits for them."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import remote
from treadle import cuda


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit(debug=True)
def out_of_bounds(x):
    x[cuda.grid(1) + x.size] = 1


@cuda.jit(debug=True)
def raising(x):
    if cuda.grid(1) == 3:
        raise ArithmeticError("no", 3)


def test_errors_of_kernels_come_with_the_next_synchronisation():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(8))
    out_of_bounds[1, 8, stream](device)
    add[1, 8, stream](device, 1)
    with pytest.raises(IndexError, match=r"out_of_bounds \(.*failures.py\): an index is out of bounds in line"):
        stream.synchronize()
    stream.synchronize()
    assert (device.copy_to_host() == 1).all()
    raising[1, 8, stream](device)
    with pytest.raises(ArithmeticError) as raised:
        cuda.synchronize()
    assert raised.value.args == ("tid=[3, 0, 0] ctaid=[0, 0, 0]: no", 3)
    with pytest.raises(IndexError):
        out_of_bounds[1, 8, stream](np.zeros(8))


def test_events_tell_failures_of_what_they_are_behind():
    @cuda.jit(debug=True)
    def fails(a):
        a[100 + cuda.grid(1)] = 1

    stream, array = cuda.stream(), cuda.to_device(np.zeros(4))
    before, after = cuda.event(), cuda.event()
    before.record(stream)
    fails[1, 1, stream](array)
    after.record(stream)
    while not after.query():
        pass
    before.synchronize()
    with pytest.raises(IndexError, match="fails"):
        after.synchronize()
    after.synchronize()  # it is reported once
    stream.synchronize()


def failed(stream, array=None, kernel=out_of_bounds):
    """A stream on which a kernel has failed, which has not been reported yet."""
    array = cuda.to_device(np.zeros(8)) if array is None else array
    kernel[1, 8, stream](array)
    moment = cuda.event()
    moment.record(stream)
    while not moment.query():  # which does not wait
        pass
    return array


def copies(stream, array):
    return {
        "copy_to_host": lambda: array.copy_to_host(stream=stream),
        "copy_to_device": lambda: array.copy_to_device(np.zeros(8)),
        "default stream": lambda: array.copy_to_host(),
        "element": lambda: array[0],
        "assignment": lambda: array.__setitem__(0, 1),
        "host_view": lambda: remote.seen(array),
        "host array": lambda: add[1, 8, stream](np.zeros(8), 1),
        "host array, default stream": lambda: add[1, 8](np.zeros(8), 1),
        "synchronize": stream.synchronize,
        "device": cuda.synchronize,
        "default": cuda.default_stream().synchronize,
    }


@pytest.mark.parametrize("wait", copies(cuda.stream(), None))
def test_whatever_waits_for_a_stream_raises_what_failed_there(wait):
    stream = cuda.stream()
    array = failed(stream)
    with pytest.raises(IndexError, match="out_of_bounds"):
        copies(stream, array)[wait]()
    stream.synchronize()  # reported once
    assert array.copy_to_host().size == 8


def test_streams_that_nobody_waits_for_keep_their_failures():
    stream, other = cuda.stream(), cuda.stream(nonblocking=True)
    failed(other)
    array = cuda.to_device(np.zeros(8))
    array.copy_to_host(stream=stream)
    array.copy_to_host()
    stream.synchronize()
    with pytest.raises(IndexError):
        other.synchronize()


def test_all_failures_of_a_stream_are_told():
    stream = cuda.stream()
    array = failed(stream)
    failed(stream, array, raising)
    failed(stream, array)
    with pytest.raises(IndexError, match="out_of_bounds") as raised:
        stream.synchronize()
    first, second = raised.value.__notes__
    assert first == "a later operation failed, too: ArithmeticError: ('tid=[3, 0, 0] ctaid=[0, 0, 0]: no', 3)"
    assert second.startswith("a later operation failed, too: IndexError: out_of_bounds")
    stream.synchronize()


def test_failures_of_dropped_streams_are_told_by_the_device():
    array = failed(cuda.stream())
    cuda.current_context().deallocations.clear()
    with pytest.raises(IndexError):
        cuda.synchronize()
    assert array.copy_to_host().size == 8


def test_several_threads_are_told_one_each():
    streams = [cuda.stream() for _ in range(4)]
    found = []

    def wait(stream):
        try:
            stream.synchronize()
        except IndexError as error:
            found.append(str(error))

    array = cuda.to_device(np.zeros(8))
    for stream in streams:
        failed(stream, array)
    threads = [threading.Thread(target=wait, args=(stream,)) for stream in streams for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4


PROGRAM = """
import numpy as np
from treadle import cuda

@cuda.jit(debug=True)
def beyond(x):
    x[100] = 1

stream, x = cuda.stream(), cuda.to_device(np.zeros(4))
beyond[1, 1, stream](x)
done = cuda.event()
done.record(stream)
while not done.query():
    pass
"""


def test_what_nobody_was_told_is_a_warning_at_the_end():
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0
    warning = "TreadleWarning: the program ended without waiting for a stream on which something failed: IndexError: "
    assert ended.stderr.count(warning + "beyond (<string>): an index is out of bounds in line 7") == 1
    told = PROGRAM + "\ntry:\n    stream.synchronize()\nexcept IndexError:\n    pass\n"
    ended = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
