# Launches with their arguments: what is exchanged, what stays, and what is kept alive.

import gc
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from treadle import cuda, errors


@cuda.jit
def axpy(out, a, x):
    i = cuda.grid(1)
    if i < out.size:
        out[i] += a * x[i]


def array(value, n=100, dtype=np.float32):
    return cuda.to_device(np.full(n, value, dtype))


def values(x):
    host = x.copy_to_host()
    assert (host == host.flat[0]).all(), host
    return host.flat[0]


@pytest.mark.parametrize("stream", [None, "blocking"], ids=["default", "stream"])
def test_calls_launch_and_exchanged_arguments_count(stream):
    stream = 0 if stream is None else cuda.stream()
    out, other, x, y = array(0), array(0), array(1), array(10)
    launch = axpy.bind(4, 32, stream, out, 1.0, x)
    for _ in range(5):
        assert launch() is None
    assert values(out) == 5
    launch[2] = y
    launch()
    launch()
    assert values(out) == 25
    launch[1] = 3.0
    launch()
    assert values(out) == 55
    launch[0] = other
    launch[2] = x
    launch()
    assert (values(out), values(other)) == (55, 3)
    launch[0] = out
    launch()
    assert (values(out), values(other)) == (58, 3)
    for scale in (2.0, 4.0):
        launch[1] = scale
        for _ in range(4):
            launch()
    assert values(out) == 58 + 4 * 6
    assert launch[0] is out and launch[1] == 4.0 and len(launch) == 3


def test_the_launcher_binds_as_well():
    out, x = array(0), array(2)
    launch = axpy[4, 32].bind(out, 1.0, x)
    launch()
    launch()
    assert values(out) == 4
    assert launch.launcher.griddim == (4, 1, 1)


def test_arguments_of_other_types_are_taken_by_the_next_call():
    out, x = array(0), array(2)
    launch = axpy.bind(4, 32, 0, out, 1.0, x)
    launch()
    launch[2] = array(3, dtype=np.float64)
    launch()
    assert values(out) == 5
    launch[2] = array(3, dtype=np.int8)
    launch[1] = 2
    launch()
    launch()
    assert values(out) == 17
    launch[2] = array(7, n=200)[::2]
    launch()
    assert values(out) == 31
    launch[0] = array(1, n=10)
    launch()
    assert values(launch[0]) == 15


def test_facts_of_exchanged_arrays_are_those_of_the_launch():
    """Overlapping and misaligned arrays, and short rows, take code of their own."""
    memory = cuda.to_device(np.arange(1000, dtype=np.float32))
    out, x = memory[:100], memory[500:600]
    launch = axpy.bind(4, 32, 0, out, 1.0, x)
    for _ in range(3):
        launch()
    host = np.arange(1000, dtype=np.float32)
    host[:100] += 3 * host[500:600]
    launch[2] = memory[501:601]
    launch()
    host[:100] += host[501:601]
    launch[2] = memory[0:100]
    launch()
    host[:100] += host[0:100]
    launch[2] = memory[100:200]
    launch()
    host[:100] += host[100:200]
    assert (memory.copy_to_host() == host).all()


def test_rows_of_exchanged_arrays_have_other_lengths():
    @cuda.jit
    def totals(out, x):
        i = cuda.grid(1)
        if i < out.size:
            total = 0.0
            for k in range(x.shape[1]):
                total += x[i, k]
            out[i] = total

    out = array(0)
    launch = totals.bind(4, 32, 0, out, cuda.to_device(np.ones((100, 3))))
    for _ in range(3):
        launch()
    assert values(out) == 3
    for length in (5, 3, 2, 9):
        launch[1] = cuda.to_device(np.ones((100, length)))
        launch()
        assert values(out) == length


def test_the_host_waits_for_launches_with_exchanged_arrays():
    @cuda.jit
    def count(x, rounds):
        for _ in range(rounds):
            x[0] += 1

    stream = cuda.stream(nonblocking=True)
    first, second = array(0, dtype=np.float64), array(0, dtype=np.float64)
    launch = count.bind(1, 1, stream, first, 1)
    for _ in range(3):
        launch()
    launch[0], launch[1] = second, 200_000
    launch()
    assert np.asarray(second)[0] == 200_000
    launch[0] = first
    assert np.asarray(second)[0] == 200_000
    launch()
    launch[0] = second
    assert np.asarray(first)[0] == 200_003


def test_memory_that_was_exchanged_is_not_handed_out_while_launches_use_it():
    stream, n = cuda.stream(nonblocking=True), 1 << 18
    launch = axpy.bind(n // 128, 128, stream, array(0, n), 1.0, array(1, n))
    launch()
    launch[0] = array(0, n)
    for _ in range(50):
        launch()
        launch()
        launch[0] = array(0, n)
        fresh = array(5, n)  # where the one before was
        assert values(fresh) == 5
    stream.synchronize()


def test_arguments_live_as_long_as_they_are_bound():
    out, x = array(0), array(1)
    references = weakref.ref(out), weakref.ref(x)
    launch = axpy.bind(4, 32, 0, out, 1.0, x)
    launch()
    launch()
    del out, x
    gc.collect()
    assert all(reference() is not None for reference in references)
    launch()
    assert values(launch[0]) == 3
    launch[2] = array(2)
    gc.collect()
    assert references[1]() is None
    launch()
    assert values(launch[0]) == 5
    del launch
    cuda.synchronize()
    gc.collect()
    assert references[0]() is None


def test_reference_counts_stay():
    out, x, y = array(0), array(1), array(2)
    launch = axpy.bind(4, 32, 0, out, 1.0, x)
    launch()
    before = [sys.getrefcount(one) for one in (out, x, y)]
    for _ in range(1000):
        launch[2] = y
        launch()
        launch[2] = x
        launch()
    assert [sys.getrefcount(one) for one in (out, x, y)] == before


def test_a_launch_that_goes_to_and_fro_between_arrays():
    out, x, y = array(0), array(1), array(2)
    launch = axpy.bind(4, 32, cuda.stream(), out, 1.0, x)
    launch()
    for _ in range(2000):
        launch[2] = y
        launch()
        launch[2] = x
        launch()
    cuda.synchronize()
    assert values(out) == 1 + 2000 * 3


def test_arrays_of_the_host_and_others_are_read_at_each_call():
    host, x = np.zeros(100, np.float32), array(1)
    launch = axpy.bind(4, 32, 0, host, 1.0, x)
    launch()
    launch()
    assert (host == 2).all()
    mapped = cuda.mapped_array(100, np.float32)
    mapped[:] = 0
    launch[0] = mapped
    launch()
    cuda.synchronize()
    assert (mapped == 1).all()
    launch[0] = (mapped,)[0]
    out = array(0)
    launch[0] = out
    launch[2] = host
    launch()
    host[:] = 10
    launch()
    assert values(out) == 12


def test_tuples_and_none():
    @cuda.jit
    def pair(arrays, x, scale):
        i = cuda.grid(1)
        if i < x.size:
            arrays[0][i] += x[i]
            if scale is not None:
                arrays[1][i] += scale * x[i]

    first, second, x, y = array(0), array(0), array(1), array(5)
    launch = pair.bind(4, 32, 0, (first, second), x, None)
    launch()
    launch()
    launch[1] = y
    launch()
    assert (values(first), values(second)) == (7, 0)
    launch[2] = 2.0
    launch()
    launch[0] = (second, first)
    launch()
    assert (values(first), values(second)) == (7 + 5 + 10, 10 + 5)


def test_defaults():
    @cuda.jit
    def fill(out, value=7):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = value

    out = array(0)
    launch = fill.bind(4, 32, 0, out)
    launch()
    launch()
    assert values(out) == 7
    launch[0] = array(1)
    launch()
    assert values(launch[0]) == 7
    assert len(launch) == 2 and launch[1] == 7
    launch[1] = 8
    launch()
    assert values(launch[0]) == 8


def test_defaults_that_reading_an_argument_removes():
    @cuda.jit
    def fill(out, value=7):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = value

    class Removing:
        @property
        def __cuda_array_interface__(self):
            fill.py_func.__defaults__ = None
            return out.__cuda_array_interface__

    out = array(0)
    launch = fill.bind(4, 32, 0, Removing())
    launch()
    assert values(out) == launch[1] == 7


def test_recompiled_and_reset_kernels():
    out, x = array(0), array(1)
    launch = axpy.bind(4, 32, 0, out, 1.0, x)
    for _ in range(5):
        launch()
    axpy.recompile()
    launch()
    launch()
    assert values(out) == 7
    cuda.current_context().reset()
    with pytest.raises(errors.CudaAPIError):
        launch()
    launch[0], launch[2] = array(0), array(3)
    launch()
    launch()
    assert values(launch[0]) == 6


def test_wrong_uses():
    out, x = array(0), array(1)
    launch = axpy.bind(4, 32, 0, out, 1.0, x)
    with pytest.raises(TypeError, match="has its arguments"):
        launch(x)
    with pytest.raises(TypeError, match="has its arguments"):
        launch(out=x)
    with pytest.raises(IndexError, match="no argument 3"):
        launch[3] = x
    with pytest.raises(IndexError):
        launch[3]
    with pytest.raises(TypeError, match="exchanged, not removed"):
        del launch[0]
    with pytest.raises(TypeError, match="argument 3 .'x'"):
        launch[2] = object()
    with pytest.raises(TypeError, match="takes 3 arguments .*, 4 given"):
        axpy.bind(4, 32, 0, out, 1.0, x, x)
    with pytest.raises(TypeError, match="takes 3 arguments .*, 1 given"):
        axpy.bind(4, 32, 0, out)
    with pytest.raises(TypeError, match="argument 1"):
        axpy.bind(4, 32, 0, [out], 1.0, "text")
    with pytest.raises(ValueError, match="block"):
        axpy.bind(4, 0, 0, out, 1.0, x)
    launch()
    assert values(out) == 1


def test_kernels_that_fail():
    @cuda.jit(debug=True, opt=False)
    def checked(x, i):
        x[i] = 1

    x = array(0)
    launch = checked.bind(1, 1, 0, x, 1)
    launch()
    launch()
    launch[1] = 100
    for _ in range(2):
        with pytest.raises(IndexError, match="checked"):
            launch()
    launch[1] = 2
    launch()
    assert x[2] == 1


def test_shared_memory_and_streams_by_name():
    @cuda.jit
    def last(out):
        shared = cuda.shared.array(0, np.float32)
        i = cuda.threadIdx.x
        shared[i] = i
        cuda.syncthreads()
        out[i] = shared[cuda.blockDim.x - 1 - i]

    out = array(0, n=32)
    last.bind(1, 32, cuda.stream(), out, sharedmem=128)()
    cuda.synchronize()
    assert out.copy_to_host().tolist() == list(range(31, -1, -1))


def test_captured_in_a_graph():
    out, x = array(0), array(1)
    launch = axpy.bind(4, 32, 0, out, 1.0, x)
    for _ in range(3):
        launch()
    with cuda.graph() as graph:
        launch()
        launch[1] = 10.0
        launch()
    assert values(out) == 3
    graph.replay()
    launch()
    assert values(out) == 24


def test_arrays_that_are_exchanged_during_a_call_stay():
    @cuda.jit
    def settle(x, rounds):
        for _ in range(rounds):
            x[0] = 0.5 * x[0] + 1

    x, other = array(0, dtype=np.float64), array(1, dtype=np.float64)
    launch = settle.bind(1, 1, 0, x, 1)
    for _ in range(3):
        launch()
    launch[1] = 20_000_000
    thread = threading.Thread(target=launch)
    thread.start()
    time.sleep(0.003)
    gone = weakref.ref(x)
    del x
    launch[0] = other
    is_kept = gone() is not None
    assert is_kept or not thread.is_alive()
    thread.join()
    launch[0], launch[1] = array(1, dtype=np.float64), 1
    launch()
    cuda.synchronize()
    assert gone() is None and launch[0][0] == 1.5


def test_exchanged_by_other_threads():
    """The launches of one thread see whole arguments of another, whichever they are."""
    n = 1 << 15
    outs, x = [array(0, n=n) for _ in range(3)], array(1, n=n)
    launch = axpy.bind(n // 128, 128, 0, outs[0], 1.0, x)
    done = threading.Event()

    def exchange():
        turn = 0
        while not done.is_set():
            launch[0] = outs[turn % 3]
            turn += 1

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        for _ in range(300):
            launch()
    finally:
        done.set()
        thread.join()
    cuda.synchronize()
    assert sum(values(out) for out in outs) == 300
