"""The memory of devices: deferred deallocations, the cache, limits, out-of-memory messages."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import remote
from treadle import cuda, errors

MANAGER = cuda.current_context().memory_manager


@pytest.fixture(autouse=True)
def empty_queue():
    gc.collect()
    MANAGER.deallocations.clear()


@cuda.jit
def add(a, value):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += value


def test_what_is_dropped_waits_until_too_much_does():
    waiting = MANAGER.deallocations
    assert waiting.max_pending_count == 10
    for count in range(1, 11):
        cuda.to_device(np.arange(1))
        assert len(waiting) == count
    cuda.to_device(np.arange(1))
    assert len(waiting) == 0


def test_streams_wait_in_the_queue_too():
    stream = cuda.stream()
    handle = int(stream)
    del stream
    assert len(MANAGER.deallocations) == 1
    assert int(cuda.external_stream(handle)) == handle
    with cuda.defer_cleanup():
        for _ in range(20):
            cuda.stream()
        assert len(MANAGER.deallocations) == 21
    assert len(MANAGER.deallocations) == 0
    with pytest.raises(ValueError, match="alive"):
        cuda.external_stream(handle)


def test_limits_can_be_assigned():
    waiting = MANAGER.deallocations
    waiting.max_pending_count = 2
    try:
        for count in (1, 2, 0):
            cuda.device_array(10)
            assert len(waiting) == count
        waiting.max_pending_ratio = 2000 / waiting.memory_capacity
        cuda.device_array(300)
        assert len(waiting) == 0
        with pytest.raises(ValueError, match="-1"):
            waiting.max_pending_count = -1
        with pytest.raises(ValueError, match="-0.5"):
            waiting.max_pending_ratio = -0.5
    finally:
        waiting.max_pending_count, waiting.max_pending_ratio = 10, 0.2


def test_deferred_deallocations():
    waiting = cuda.current_context().deallocations
    with cuda.defer_cleanup():
        assert waiting.is_locked
        with cuda.defer_cleanup():
            for _ in range(30):
                cuda.device_array(10)
        assert len(waiting) == 30
        waiting.clear()
        assert len(waiting) == 30
    assert len(waiting) == 0
    assert not waiting.is_locked


def test_deferral_ends_with_the_exception_that_left_it():
    with pytest.raises(KeyError, match="mine"), cuda.defer_cleanup():
        cuda.device_array(10)
        raise KeyError("mine")
    assert not MANAGER.deallocations.is_locked
    assert len(MANAGER.deallocations) == 0


def test_memory_info_counts_what_can_be_had():
    free, total = cuda.current_context().get_memory_info()
    held = cuda.device_array(1 << 20, np.uint8)
    info = cuda.current_context().get_memory_info()
    assert info.total == total == MANAGER.deallocations.memory_capacity
    assert info.free == free - (1 << 20)
    del held
    assert len(MANAGER.deallocations) == 1
    assert MANAGER.deallocations.pending_bytes == 1 << 20
    assert cuda.current_context().get_memory_info().free == free
    MANAGER.deallocations.clear()
    assert MANAGER.cached_bytes >= 1 << 20
    assert cuda.current_context().get_memory_info().free == free
    MANAGER.trim()
    assert MANAGER.cached_bytes == 0


def test_lower_limits_count_at_once():
    waiting, cache_limit = MANAGER.deallocations, MANAGER.cache_limit
    MANAGER.trim()
    waiting.clear()
    for size in (10_000, 20_000, 30_000):
        cuda.device_array(size, "u1")
    try:
        waiting.max_pending_count = 3
        assert len(waiting) == 3
        waiting.max_pending_count = 2
        assert len(waiting) == 0
        MANAGER.cache_limit = 35_000
        assert 0 < MANAGER.cached_bytes <= 35_000
        MANAGER.cache_limit = 0
        assert MANAGER.cached_bytes == 0
        cuda.device_array(10_000, "u1")
        with waiting.disable():
            waiting.max_pending_count = 0
            assert len(waiting) == 1
    finally:
        waiting.max_pending_count, MANAGER.cache_limit = 10, cache_limit


def test_freed_memory_is_used_again():
    first = cuda.device_array(5000)._address
    MANAGER.deallocations.clear()
    assert cuda.device_array(5001)._address == first
    MANAGER.deallocations.clear()
    limit = MANAGER.cache_limit
    MANAGER.trim()
    MANAGER.cache_limit = 0
    try:
        cuda.device_array(5000)
        MANAGER.deallocations.clear()
        assert MANAGER.cached_bytes == 0
    finally:
        MANAGER.cache_limit = limit
    with pytest.raises(ValueError):
        MANAGER.cache_limit = -1


def test_memory_of_a_queued_launch_is_not_handed_out():
    for _ in range(20):
        stream = cuda.stream()
        a = cuda.to_device(np.zeros(2000))
        for _ in range(5):
            add[8, 256, stream](a, 1)
        address = a._address
        del a
        MANAGER.deallocations.clear()
        other = cuda.to_device(np.full(2000, 7.0))
        stream.synchronize()
        assert (other.copy_to_host() == 7).all()
        del other
        MANAGER.deallocations.clear()
    assert address


@cuda.jit
def spin(flag, array, value):
    while flag[0] == 0:
        cuda.threadfence_system()
    for i in range(array.size):
        array[i] = value


def held_up(stream, array, value=3):
    """Queues a kernel on the stream that writes the array once the returned flag is not 0."""
    flag = cuda.mapped_array(1, np.int32)
    flag[0] = 0
    spin[1, 1, stream](flag, array, value)
    return flag


def fresh_blocks(stream, count=100):
    """The number of blocks used by that many allocations, launches and drops on a stream that makes no progress."""
    flag = held_up(stream, cuda.device_array(7, stream=stream))
    addresses = set()
    for _ in range(count):
        array = cuda.device_array(3000, stream=stream)
        addresses.add(array._address)
        add[12, 256, stream](array, 1)
        del array
    flag[0] = 1
    cuda.synchronize()
    return len(addresses)


def test_what_is_freed_on_a_stream_is_handed_out_on_it_at_once():
    assert fresh_blocks(cuda.stream()) <= 12


@pytest.mark.skipif(not remote.is_under_test(), reason="the CPU device's default stream is never behind its host")
def test_arrays_made_without_a_stream_are_made_for_the_default_stream():
    assert fresh_blocks(0) <= 12


def test_other_streams_wait_for_what_memory_was_used_for_before():
    first, second = cuda.stream(), cuda.stream(nonblocking=True)
    for use in ("launch", "copy", "default", "captured", "host"):
        array = cuda.device_array(3000, stream=first)
        address, flag = array._address, held_up(first, array)
        del array
        for _ in range(11):  # through the queue
            cuda.device_array(7)
        array = cuda.device_array(3000, stream=first)
        assert array._address == address
        assert flag[0] == 0
        release = threading.Timer(0.05, flag.__setitem__, (0, 1))
        release.start()
        if use == "launch":
            add[12, 256, second](array, 1)
            second.synchronize()
            expected = 4
        elif use == "copy":
            array.copy_to_device(np.zeros(3000), stream=second)
            second.synchronize()
            expected = 0
        elif use == "default":
            add[12, 256](array, 1)
            expected = 4
        elif use == "captured":
            kernel = adding_to(array)
            kernel[1, 1, second]()
            second.synchronize()
            expected = 3
            assert array[0] == 4
        else:
            remote.shared(array)[1] = 9.0
            assert array[1] == 9
            expected = 3
        assert (array.copy_to_host()[2:] == expected).all(), use
        release.join()
        first.synchronize()
        del array
        kernel = None
        gc.collect()
        MANAGER.deallocations.clear()
        MANAGER.trim()


def adding_to(array):
    @cuda.jit
    def kernel():
        array[0] += 1

    return kernel


def test_an_allocation_that_can_never_succeed_is_refused_at_once(run_python):
    program = """
import numpy as np
from treadle import cuda
from treadle.cuda.cudadrv.driver import CudaAPIError

@cuda.jit
def spin(flag, array):
    while flag[0] == 0:
        cuda.threadfence_system()
    array[0] = 1

flag, array = cuda.mapped_array(1, np.int32), cuda.device_array(10)
flag[0] = 0
stream = cuda.stream()
spin[1, 1, stream](flag, array)
for size in (4 << 20, 900_000):
    live = cuda.device_array(300_000, np.uint8)
    try:
        cuda.device_array(size, np.uint8)
    except CudaAPIError as error:
        print(error.code)
    del live
flag[0] = 1
stream.synchronize()
print(cuda.device_array(900_000, np.uint8).size)
"""
    assert run_python(program, TREADLE_CPU_MEMORY=str(1 << 20)) == "2\n2\n900000\n"


def test_an_allocation_waits_for_what_streams_do_with_free_memory(run_python):
    program = """
import threading
import numpy as np
from treadle import cuda

@cuda.jit
def spin(flag, array):
    while flag[0] == 0:
        cuda.threadfence_system()
    array[0] = 1

flag, array, stream = cuda.mapped_array(1, np.int32), cuda.device_array(800_000, np.uint8), cuda.stream()
flag[0] = 0
spin[1, 1, stream](flag, array)
del array
threading.Timer(0.1, flag.__setitem__, (0, 1)).start()
print(cuda.device_array(800_000, np.uint8).size, flag[0])
"""
    assert run_python(program, TREADLE_CPU_MEMORY=str(1 << 20)) == "800000 1\n"


def test_views_keep_their_memory():
    array = cuda.to_device(np.arange(100.0))
    view = array[10:20:3].reshape(2, 2).T
    part = next(array.split(50))
    del array
    gc.collect()
    assert len(MANAGER.deallocations) == 0
    assert view.copy_to_host().tolist() == [[10, 16], [13, 19]]
    del view, part
    assert len(MANAGER.deallocations) == 1


def test_arrays_can_be_watched():
    array = cuda.device_array(3)
    watch = weakref.ref(array)
    assert watch() is array
    del array
    assert watch() is None


def test_too_much_memory():
    held = cuda.device_array(3 << 20, np.uint8)
    with pytest.raises(errors.CudaAPIError) as caught:
        cuda.device_array(1 << 45)
    assert caught.value.code == 2
    for part in ("allocate", "256 TiB were asked for", "are free", "cached", "pending", "3.0 MiB", "trim()"):
        assert part in str(caught.value)
    del held
    with pytest.raises(ValueError, match="address space"):
        cuda.device_array((1 << 40, 1 << 40))
    with pytest.raises(ValueError, match=r"shape\[0\] is -3"):
        cuda.device_array(-3)


LIMITED = """
import numpy as np
from treadle import cuda, errors
context = cuda.current_context()
assert context.get_memory_info() == (1 << 20, 1 << 20)
a = cuda.device_array(1 << 19, np.uint8)
with cuda.defer_cleanup():
    for _ in range(100):
        cuda.device_array(1 << 18, np.uint8)   # tried again without what waits
    b = cuda.device_array(1 << 19, np.uint8)
try:
    cuda.device_array(1, np.uint8)
except errors.CudaAPIError as error:
    assert error.code == 2 and "0 bytes of 1.0 MiB are free" in str(error), error
else:
    raise AssertionError
del a
stream = cuda.stream()
c = cuda.to_device(np.zeros(1 << 19, np.uint8))
@cuda.jit
def slow(x):
    for i in range(2000):
        x[i] += 1
slow[200, 32, stream](c)
del b, c
d = cuda.device_array(1 << 20, np.uint8)   # waits for the stream
print(context.memory_manager.deallocations.max_pending_count, context.memory_manager.cache_limit)
"""


def test_capacity_and_limits_of_the_environment(run_python):
    found = run_python(
        LIMITED, TREADLE_CPU_MEMORY=str(1 << 20), NUMBA_CUDA_MAX_PENDING_DEALLOCS_COUNT="20", TREADLE_CACHE_LIMIT="4096"
    )
    assert found.split() == ["20", "4096"]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TREADLE_CPU_MEMORY", "much"),
        ("TREADLE_CPU_MEMORY", "-1"),
        ("TREADLE_MAX_PENDING_DEALLOCS_COUNT", "-2"),
        ("TREADLE_MAX_PENDING_DEALLOCS_RATIO", "half"),
        ("TREADLE_CACHE_LIMIT", "1e9"),
        ("TREADLE_CPU_DEVICES", "0"),
    ],
)
def test_settings_that_make_no_sense_are_named(variable, value):
    code = "from treadle import cuda; cuda.device_array(1)"
    over_host = "import numpy; from treadle import _core; _core.device_array_over(numpy.zeros(3))"
    assert (
        subprocess.run(
            [sys.executable, "-c", over_host],
            capture_output=True,
            timeout=60,
            env={variable: value, "PATH": ""},
            check=False,
        ).returncode
        == 1
    )  # not a crash
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={variable: value, "PATH": ""},
        check=False,
    )  # fmt: skip
    assert found.returncode == 1
    assert "ValueError" in found.stderr.splitlines()[-1]
    assert variable in found.stderr
    assert value in found.stderr


def test_threads_allocate_and_drop():
    problems = []

    def work(number):
        try:
            for step in range(300):
                array = cuda.to_device(np.full(200 + step, number, np.int64))
                view = array[step // 2 :]
                del array
                assert (view.copy_to_host() == number).all()
        except BaseException as error:
            problems.append(error)

    before = MANAGER.figures()["live_count"]
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert MANAGER.figures()["live_count"] == before
