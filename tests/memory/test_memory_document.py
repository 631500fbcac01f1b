"""Statements of the document on memory management that no other test file covers."""

import asyncio
import faulthandler
import gc

import numpy as np
import pytest
from treadle import cuda, errors, float32, float64, int32
from treadle.cuda.cudadrv import driver

MANAGER = cuda.current_context().memory_manager
HOST_ARRAYS = [cuda.pinned_array, cuda.mapped_array, cuda.managed_array]
N = 5
PAIR = (2, N)
POINT = np.dtype([("number", "i4"), ("weight", "f8")])


@pytest.fixture(autouse=True)
def no_hang():
    """After two minutes, prints all stacks and ends the process."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@cuda.jit
def wait_for(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


class HeldUp:
    """A stream that no other waits for and that does nothing until it is released."""

    def __init__(self):
        self.stream = cuda.stream(nonblocking=True)
        self.flag = cuda.mapped_array(1, np.int32)
        self.flag[:] = 0
        wait_for[1, 1, self.stream](self.flag)

    def let_go(self):
        self.flag[0] = 1


@pytest.fixture
def held_up():
    held = HeldUp()
    yield held
    held.let_go()
    held.stream.synchronize()


# --- deallocations ---------------------------------------------------------------------------------------------------

COUNTS = """
import sys
import numpy as np
from treadle import cuda

manager = cuda.current_context().memory_manager
for _ in range(int(sys.argv[1])):
    cuda.device_array(int(sys.argv[2]), np.uint8)
    print(manager.figures()["pending_count"], manager.figures()["pending_bytes"])
"""


@pytest.mark.parametrize("prefix", ["TREADLE", "NUMBA_CUDA"])
def test_half_of_the_memory_may_wait(run_python, prefix):
    settings = {"TREADLE_CPU_MEMORY": str(1 << 20), f"{prefix}_MAX_PENDING_DEALLOCS_RATIO": "0.5"}
    printed = [tuple(map(int, line.split())) for line in run_python(COUNTS, "7", "100000", **settings).splitlines()]
    block = printed[0][1]
    assert block >= 100_000
    fit = (1 << 19) // block
    assert printed[:fit] == [(count, count * block) for count in range(1, fit + 1)]
    assert printed[fit : fit + 2] == [(0, 0), (1, block)]


@pytest.mark.parametrize("prefix", ["TREADLE", "NUMBA_CUDA"])
def test_twenty_may_wait(run_python, prefix):
    printed = run_python(COUNTS, "22", "100", **{f"{prefix}_MAX_PENDING_DEALLOCS_COUNT": "20"})
    assert [int(line.split()[0]) for line in printed.splitlines()] == [*range(1, 21), 0, 1]


TWO_QUEUES = """
from treadle import cuda

managers = [gpu.get_primary_context().memory_manager for gpu in cuda.gpus]

def show():
    print(*[manager.figures()["pending_count"] for manager in managers],
          *[manager.deallocations.is_locked for manager in managers])

array = cuda.device_array(10)
with cuda.gpus[1]:
    show()
    del array
    show()
    cuda.device_array(10)
    show()
    with cuda.defer_cleanup():
        for _ in range(12):
            cuda.device_array(10)
        show()
        with cuda.gpus[0]:
            for _ in range(10):
                cuda.device_array(10)
        show()
    show()
"""


def test_each_device_has_a_queue_of_its_own(run_python):
    assert run_python(TWO_QUEUES, TREADLE_CPU_DEVICES="2").splitlines() == [
        "0 0 False False",
        "1 0 False False",  # device 0's, although device 1 was current
        "1 1 False False",
        "1 13 False True",
        "0 13 False True",
        "0 0 False False",
    ]


@pytest.mark.parametrize(
    "make",
    [
        *[lambda make=make: make(1000) for make in HOST_ARRAYS],
        lambda: cuda.pinned_array_like(np.zeros(1000)),
        lambda: cuda.mapped_array_like(np.zeros(1000)),
        lambda: cuda.current_context().memhostalloc(8000),
        lambda: cuda.current_context().memhostalloc(8000, mapped=True),
        lambda: cuda.current_context().memallocmanaged(8000),
    ],
)
def test_memory_of_the_host_waits_too(make):
    gc.collect()
    MANAGER.deallocations.clear()
    before = MANAGER.figures()["live_count"]
    array = make()
    view = array[3:]
    del array
    assert (MANAGER.figures()["live_count"], len(MANAGER.deallocations)) == (before + 1, 0)
    del view
    assert (MANAGER.figures()["live_count"], len(MANAGER.deallocations)) == (before, 1)
    assert MANAGER.deallocations.pending_bytes >= 8000
    MANAGER.deallocations.clear()
    assert len(MANAGER.deallocations) == 0


# --- copies and streams ----------------------------------------------------------------------------------------------

COPIES = {
    "to_device": lambda target, host, _, stream: cuda.to_device(host, stream=stream, to=target),
    "host_to_device": lambda target, host, _, stream: driver.host_to_device(target, host, 100, stream),
    "device_to_device": lambda target, _, device, stream: driver.device_to_device(target, device, 100, stream),
    "device_memset": lambda target, _host, _device, stream: driver.device_memset(target, 3, 100, stream),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_copies_on_a_busy_stream_return_before_they_are_done(held_up, copy):
    host = np.full(100, 3, np.uint8)
    device, target = cuda.to_device(host), cuda.to_device(np.zeros(100, np.uint8))
    seen = target.host_view()
    copy(target, host, device, held_up.stream)
    event = cuda.event()
    event.record(held_up.stream)
    host[:] = 77
    assert not event.query()
    assert (seen == 0).all()
    held_up.let_go()
    held_up.stream.synchronize()
    assert (seen == 3).all()


def test_an_array_made_on_a_busy_stream_is_filled_in_its_turn(held_up):
    host = np.arange(50.0)
    device = cuda.to_device(host, stream=held_up.stream)
    double[1, 64, held_up.stream](device)
    host[:] = -1
    held_up.let_go()
    held_up.stream.synchronize()
    assert (device.copy_to_host() == np.arange(50.0) * 2).all()


def test_elements_are_read_and_written_after_what_the_stream_had():
    stream = cuda.stream()
    device = cuda.to_device(np.arange(6.0))
    double[1, 32, stream](device)
    device.setitem(0, 9, stream)
    device.setitem(slice(3, 5), np.array([1.0, 2.0]), stream=stream)
    double[1, 32, stream](device)
    assert device.getitem(0, stream) == 18
    assert device.getitem(slice(1, 5), stream=stream).copy_to_host().tolist() == [4, 8, 2, 4]


@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (0,)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_alloc_size_of_contiguous_arrays_is_their_bytes(shape, order):
    array = cuda.device_array(shape, np.int16, order=order)
    assert array.alloc_size == array.nbytes == array.size * 2


OWN_DEFAULT_STREAMS = """
import threading
import numpy as np
from treadle import cuda

@cuda.jit
def wait_for(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

def recorded(stream=0):
    event = cuda.event()
    event.record(stream)
    return event

flag, x = cuda.mapped_array(1, np.int32), cuda.to_device(np.zeros(4))
flag[:] = 0
blocking = cuda.stream()
wait_for[1, 1, blocking](flag)
x.copy_to_device(np.arange(4.0))  # the legacy default stream would wait for the blocking one
event = recorded()
event.synchronize()
print(event.query(), x.copy_to_host().tolist(), cuda.to_device(np.ones(2)).copy_to_host().tolist())

recorded(blocking).wait()  # the default stream of this thread
there = []
thread = threading.Thread(target=lambda: there.append((recorded(), x.copy_to_host().tolist())))
thread.start()
thread.join()
event, same = recorded(), recorded(cuda.per_thread_default_stream())
print(event.query(), same.query(), there[0][0].query(), there[0][1])
flag[0] = 1
x.copy_to_device(np.ones(4))
print(event.query(), same.query(), x.copy_to_host().tolist())
"""


def test_copies_and_events_use_the_default_stream_of_the_thread(run_python):
    assert run_python(OWN_DEFAULT_STREAMS, NUMBA_CUDA_PER_THREAD_DEFAULT_STREAM="1").splitlines() == [
        "True [0.0, 1.0, 2.0, 3.0] [1.0, 1.0]",
        "False False True [0.0, 1.0, 2.0, 3.0]",
        "True True [1.0, 1.0, 1.0, 1.0]",
    ]


def test_streams_of_others_are_taken_by_copies_events_and_elements(held_up):
    class Foreign:
        def __cuda_stream__(self):
            return 0, int(held_up.stream)

    foreign, event = Foreign(), cuda.event()
    device = cuda.to_device(np.ones(4))
    target = cuda.to_device(np.zeros(4))
    made = cuda.to_device(np.full(4, 5.0), stream=foreign)
    target.copy_to_device(device, stream=foreign)
    device.copy_to_device(np.full(4, 2.0), stream=foreign)
    driver.device_memset(made, 0, 8, foreign)
    event.record(foreign)
    event.wait(foreign)
    assert not event.query()
    held_up.let_go()
    assert target.copy_to_host(stream=foreign).tolist() == [1] * 4
    target.setitem(2, 9, foreign)
    assert event.query()
    assert target.getitem(2, foreign) == 9
    assert device.bind(foreign).copy_to_host().tolist() == [2] * 4
    assert made.copy_to_host().tolist() == [0, 5, 5, 5]


def test_async_done_may_be_cancelled(held_up):
    async def main():
        given_up, waiting = held_up.stream.async_done(), held_up.stream.async_done()
        given_up.cancel()
        held_up.let_go()
        assert await asyncio.wait_for(waiting, 20) is held_up.stream
        assert given_up.cancelled()

    asyncio.run(main())


def test_async_done_whose_loop_is_gone_leaves_later_callbacks(run_python):
    code = """
import asyncio, threading, warnings
from treadle import cuda
warnings.filterwarnings("ignore", ".*Event loop is closed")
stream, go, called = cuda.stream(), threading.Event(), threading.Event()

async def begin():
    return stream.async_done()

stream.add_callback(lambda *_: go.wait(20))
left = asyncio.run(begin())
stream.add_callback(lambda *_: called.set())
go.set()
print(called.wait(20), left.done())
"""
    assert run_python(code) == "True False\n"


# --- nothing at all --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [*HOST_ARRAYS, cuda.device_array])
@pytest.mark.parametrize("shape", [0, (3, 0)])
def test_arrays_of_no_elements(make, shape):
    @cuda.jit
    def size(a, out):
        out[0] = a.size

    array = make(shape, np.int32)
    assert (array.size, array.nbytes, array.dtype) == (0, 0, np.int32)
    array.copy_to_device(np.empty(array.shape, np.int32))
    assert array.copy_to_host().shape == array.shape
    out = np.ones(1)
    size[1, 1](array, out)
    assert out[0] == 0
    assert cuda.to_device(np.empty(shape), stream=cuda.stream()).copy_to_host().shape == array.shape


def test_no_bytes():
    context, stream = cuda.current_context(), cuda.stream()
    for array in (context.memhostalloc(0), context.memhostalloc(0, mapped=True), context.memallocmanaged(0)):
        assert array.shape == (0,)
    empty, some = context.memalloc(0), context.memalloc(8)
    assert empty.size == 0
    empty.memset(1)
    some.memset(7)
    back = bytearray(8)
    for target, source in ((empty, empty), (empty, some), (some, empty)):
        for on in (0, stream):
            driver.host_to_device(target, b"", 0, on)
            driver.host_to_device(target, b"abc", 0, on)
            driver.device_to_device(target, source, 0, on)
            driver.device_memset(target, 3, 0, on)
            driver.device_to_host(back, source, 0, on)
    stream.synchronize()
    assert back == bytes(8)
    driver.device_to_host(back, some, 8)
    assert back == bytes([7] * 8)


# --- memory of kernels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("array", [cuda.local.array, cuda.shared.array], ids=["local", "shared"])
def test_shapes_are_whatever_is_known_while_compiling(array):
    @cuda.jit
    def one_axis(sizes):
        n = 3
        m = n * 2
        sizes[0] = array(4, float32).size
        sizes[1] = array(m, float32).size
        sizes[2] = array(N, float32).size
        sizes[3] = array(N * 2 + 1, float32).size
        sizes[4] = array((m,), float64).size

    @cuda.jit
    def two_axes(sizes):
        n = 3
        m = n * 2
        pair = (m, 2)
        literal, mixed, named = array((4, 6), int32), array((m, N), int32), array(PAIR, int32)
        computed, local = array((m - 1, N // 2), int32), array(pair, int32)
        for axis in range(2):
            sizes[0, axis] = literal.shape[axis]
            sizes[1, axis] = mixed.shape[axis]
            sizes[2, axis] = named.shape[axis]
            sizes[3, axis] = computed.shape[axis]
            sizes[4, axis] = local.shape[axis]

    sizes, pairs = np.zeros(5, np.int64), np.zeros((5, 2), np.int64)
    one_axis[1, 1](sizes)
    two_axes[1, 1](pairs)
    assert sizes.tolist() == [4, 6, 5, 11, 6]
    assert pairs.tolist() == [[4, 6], [6, 5], [2, 5], [5, 2], [6, 2]]


def test_local_arrays_keep_their_contents_over_the_turns_of_a_loop():
    @cuda.jit
    def count(out, turns):
        thread = cuda.grid(1)
        for turn in range(turns):
            own = cuda.local.array(3, int32)
            if turn == 0:
                for i in range(3):
                    own[i] = thread
            own[turn % 3] += 100
            for i in range(3):
                out[thread, turn, i] = own[i]

    out = np.zeros((40, 7, 3), np.int32)
    count[2, 20](out, 7)
    added = np.cumsum([[100 * (turn % 3 == i) for i in range(3)] for turn in range(7)], axis=0)
    assert (out == added + np.arange(40)[:, None, None]).all()


NUMBERS = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    "values",
    [NUMBERS, np.asfortranarray(NUMBERS), NUMBERS.T, NUMBERS[1:, ::-2], NUMBERS[::2] * (1 - 2j), NUMBERS.astype("i2")],
    ids=["c", "fortran", "transposed", "strided", "complex", "short"],
)
def test_constant_arrays_have_the_elements_of_the_array(values):
    @cuda.jit
    def copy(out):
        constant = cuda.const.array_like(values)
        for i in range(constant.shape[0]):
            for j in range(constant.shape[1]):
                out[i, j] = constant[i, j]

    out = np.full(values.shape, 99, values.dtype)
    copy[1, 1](out)
    assert (out == values).all()


def test_constant_records_and_a_constant_of_no_axes():
    points, number = np.array([(1, 2.5), (3, 4.5)], POINT), np.array(7.5)

    @cuda.jit
    def copy(out):
        constant = cuda.const.array_like(points)
        for i in range(2):
            out[2 * i] = constant[i].number
            out[2 * i + 1] = constant["weight"][i]
        out[4] = cuda.const.array_like(number)[()]

    out = np.zeros(5)
    copy[1, 1](out)
    assert out.tolist() == [1, 2.5, 3, 4.5, 7.5]


def test_constants_cannot_be_written():
    points, number = np.zeros(2, POINT), np.array(7.5)

    def element():
        cuda.const.array_like(NUMBERS)[0, 0] = 1

    def row():
        cuda.const.array_like(NUMBERS)[1][2] += 1

    def no_axes():
        cuda.const.array_like(number)[()] = 1

    def field():
        cuda.const.array_like(points)[0].number = 1

    def atomic():
        cuda.atomic.add(cuda.const.array_like(NUMBERS), (0, 0), 1.0)

    for function in (element, row, no_axes, field, atomic):
        with pytest.raises(errors.TypingError, match="read-only"):
            cuda.jit(function)[1, 1]()


def test_memory_of_kernels_cannot_be_had_on_the_host():
    for name, attempt in (
        (r"local\.array", lambda: cuda.local.array(3, float32)),
        (r"const\.array_like", lambda: cuda.const.array_like(np.zeros(3))),
        ("syncthreads", lambda: cuda.syncthreads()),
    ):
        with pytest.raises(RuntimeError, match=rf"cuda\.{name} can only be used in a kernel"):
            attempt()


def kernel_that_says(statement):
    names = {"cuda": cuda}
    exec(f"def kernel(a):\n    {statement}", names)
    return cuda.jit(names["kernel"])


METHODS = "copy_to_host() copy_to_device(a) getitem(0) setitem(0,1) split(2) bind(0) swapaxes(0,1) tobytes()".split()


@pytest.mark.parametrize("make", [np.zeros, cuda.device_array], ids=["host", "device"])
@pytest.mark.parametrize("method", METHODS)
def test_methods_of_arrays_are_not_for_kernels(method, make):
    with pytest.raises(errors.UnsupportedError, match=f"the method '{method.partition('(')[0]}'"):
        kernel_that_says(f"a.{method}")[1, 1](make(4))


ARRAYS = "to_device(a) device_array(3) device_array_like(a) pinned_array(3) mapped_array(3) managed_array(3)".split()


@pytest.mark.parametrize("call", [*ARRAYS, "stream()", "current_context()"])
def test_functions_of_the_host_are_not_for_kernels(call):
    with pytest.raises(errors.TypingError, match=f"'{call.partition('(')[0]}'"):
        kernel_that_says(f"cuda.{call}")[1, 1](np.zeros(3))
