"""Memory managers of other libraries: all memory of arrays comes from them, and goes back when its work has run."""

import gc
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from treadle import _core, cuda, errors
from treadle.cuda.cudadrv import driver
from treadle.devices.memory_pointers import ManagedMemory

sys.path.insert(0, str(Path(__file__).parent))

from allocators import LikeCupy, LikeRmm, Recorder, choices, give_back, take  # noqa: E402


@pytest.fixture
def using():
    yield from choices()


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def add_when(flag, x, value):
    while flag[0] == 0:
        cuda.threadfence_system()
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


def test_arrays_have_their_memory_from_it(using):
    manager = using(Recorder)
    assert manager.calls == [("initialize", 0)]
    x = cuda.device_array(10)
    y = cuda.to_device(np.arange(5.0))
    z = cuda.device_array((2, 3), np.float32, order="F")
    assert manager.calls[1:] == [("memalloc", 80), ("memalloc", 40), ("memalloc", 24)]
    assert z.gpu_data.size == 24
    add[1, 32](y, 1)
    assert y.copy_to_host().tolist() == [1, 2, 3, 4, 5]
    view = y[2:]
    del y
    assert list(manager.alive.values()) == [80, 40, 24]
    add[1, 32](view, 10)
    assert view.copy_to_host().tolist() == [13, 14, 15]
    del x
    assert list(manager.alive.values()) == [40, 24]
    del z, view
    cuda.synchronize()
    assert manager.alive == {}


def test_the_queue_and_the_cache_are_bypassed(using):
    using(Recorder)
    context = cuda.current_context()
    for _ in range(3):
        cuda.device_array(1000)
    assert len(context.deallocations) == 0
    assert not _core.holds_memory()


def test_nothing_is_asked_for_arrays_without_elements(using):
    manager = using(Recorder)
    empty = cuda.device_array((0, 4))
    assert empty.copy_to_host().shape == (0, 4)
    add[1, 32](empty.ravel(), 1)
    assert cuda.to_device(np.empty(0)).size == 0
    assert manager.calls == [("initialize", 0)]


def test_memory_of_the_host(using):
    manager = using(Recorder)
    pinned, mapped = cuda.pinned_array(4), cuda.mapped_array(3, np.float32)
    pinned[:], mapped[:] = 1, 2
    assert manager.calls[1:] == [("pinned", 32), ("mapped", 12)]
    add[1, 32](mapped, 5)
    cuda.synchronize()
    assert mapped.tolist() == [7, 7, 7]
    device = cuda.to_device(pinned)
    assert device.copy_to_host().tolist() == [1, 1, 1, 1]
    del pinned, mapped, device
    cuda.synchronize()
    assert manager.alive == {}


def test_memory_that_is_pinned_for_a_while(using):
    manager = using(Recorder)
    host = np.ones(4)
    with cuda.pinned(host):
        assert manager.calls[1:] == [("pin False", 32)]
        assert list(manager.alive.values()) == [32]
    assert manager.alive == {}
    with cuda.mapped(host) as device:
        assert manager.calls[2:] == [("pin True", 32)]
        add[1, 32](device, 1)
    assert manager.alive == {}
    assert host.tolist() == [2, 2, 2, 2]
    with cuda.pinned(host), pytest.raises(errors.CudaAPIError, match="pinned already"), cuda.pinned(host):
        pass


def test_managed_memory(using):
    using(Recorder)
    managed = cuda.managed_array(4)
    managed[:] = 3
    add[1, 32](managed, 1)
    cuda.synchronize()
    assert managed.tolist() == [4, 4, 4, 4]


class Plain(cuda.BaseCUDAMemoryManager):
    """Everything by the base class's contract alone."""

    def memalloc(self, size):
        address = take(size)
        return cuda.MemoryPointer(self.context, address, size, finalizer=lambda: give_back(address))

    def memhostalloc(self, size, mapped, portable, wc):
        return "nothing"

    mempin = get_ipc_handle = get_memory_info = defer_cleanup = reset = initialize = lambda self, *arguments: None
    interface_version = 1


def test_what_a_manager_cannot_do(using):
    using(Plain)
    assert cuda.to_device([1, 2]).copy_to_host().tolist() == [1, 2]
    with pytest.raises(NotImplementedError, match="has no Plain.memallocmanaged"):
        cuda.managed_array(4)
    with pytest.raises(TypeError, match="Plain.memhostalloc must return a memory pointer, .* found 'nothing'"):
        cuda.pinned_array(4)


def test_too_little_is_refused(using):
    class Stingy(Plain):
        def memalloc(self, size):
            return super().memalloc(size - 1)

    using(Stingy)
    with pytest.raises(RuntimeError, match="Stingy.memalloc was asked for 16 bytes and returned 15"):
        cuda.device_array(2)


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"device_pointer": -8}, ValueError, "a pointer is an address from 0 to 2\\*\\*64 - 1, found -8"),
        ({"device_pointer": 2**64}, ValueError, "found 18446744073709551616"),
        ({"device_pointer": "12"}, TypeError, "expected a pointer, found '12' of type str"),
        ({"device_pointer": 4096.0}, TypeError, "expected a pointer, found 4096.0 of type float"),
        ({"size": float("nan")}, TypeError, "size must be an int, found nan"),
        ({"size": -1}, ValueError, "size must be a number of bytes, found -1"),
    ],
)
def test_pieces_of_memory_that_cannot_be(using, changes, error, text):
    class Wrong(Plain):
        def memalloc(self, size):
            memory = super().memalloc(size)
            vars(memory).update(changes)
            return memory

    using(Wrong)
    with pytest.raises(error, match=f"Wrong.memalloc returned .*: .*{text}"):
        cuda.device_array(2)


@pytest.mark.parametrize("kind", [cuda.MemoryPointer, cuda.PinnedMemory, cuda.MappedMemory, ManagedMemory])
@pytest.mark.parametrize(
    ("pointer", "size", "finalizer", "error", "text"),
    [
        (-8, 8, None, ValueError, "a pointer is an address"),
        ("12", 8, None, TypeError, "expected a pointer, found '12'"),
        (4096, float("nan"), None, TypeError, "size must be an int, found nan"),
        (4096, True, None, TypeError, "size must be an int, found True"),
        (4096, -1, None, ValueError, "size must be a number of bytes, found -1"),
        (4096, 8, 5, TypeError, "finalizer must be a function without arguments, or None, found 5"),
    ],
)
def test_pieces_are_checked_where_they_are_made(kind, pointer, size, finalizer, error, text):
    with pytest.raises(error, match=text):
        kind(cuda.current_context(), pointer, size, finalizer=finalizer)


def test_errors_of_a_manager_are_its_own(using):
    class OutOfLuck(Exception):
        pass

    manager = using(Recorder)
    manager.failing = OutOfLuck("today")
    for attempt in (
        lambda: cuda.device_array(4),
        lambda: cuda.to_device([1]),
        lambda: cuda.current_context().memalloc(8),
    ):
        with pytest.raises(OutOfLuck, match="today"):
            attempt()
    manager.failing = None
    assert cuda.to_device([1]).copy_to_host().tolist() == [1]


@pytest.mark.parametrize("plugin", [LikeRmm, LikeCupy])
def test_shapes_of_libraries(using, plugin):
    manager = using(plugin)
    x = cuda.to_device(np.zeros(100))
    stream = cuda.stream()
    for _ in range(5):
        y = cuda.device_array(100, stream=stream)
        y.copy_to_device(x, stream=stream)
        add[4, 32, stream](y, 1)
        x.copy_to_device(y, stream=stream)
    stream.synchronize()
    assert (x.copy_to_host() == 5).all()
    add[4, 32](x, 2)
    assert (x.copy_to_host() == 7).all()
    allocations = manager.allocations if plugin is LikeRmm else manager._allocations
    assert len(allocations) >= 2
    del x, y
    cuda.synchronize()
    assert allocations == {}


def test_figures_of_a_pool(using):
    manager = using(LikeCupy)
    x = cuda.device_array(100, np.uint8)
    assert cuda.current_context().get_memory_info() == (900, 1000)
    before = x._address
    del x
    assert cuda.current_context().get_memory_info() == cuda.MemoryInfo(1000, 1000)
    assert cuda.device_array(100, np.uint8)._address == before
    with cuda.defer_cleanup():
        assert manager.deferred == 1
        assert cuda.current_context().deallocations.is_locked
    assert manager.deferred == 0
    assert not cuda.current_context().deallocations.is_locked


def test_figures_that_there_are_not(using):
    using(LikeRmm)
    with pytest.raises(NotImplementedError):
        cuda.current_context().get_memory_info()


def test_resets_are_forwarded(using):
    manager = using(Recorder)
    x = cuda.device_array(4)
    context = cuda.current_context()
    context.reset()
    assert ("reset", 1) in manager.calls
    assert context.memory_manager is manager
    with pytest.raises(errors.CudaAPIError, match="reset"):
        x.copy_to_host()


@pytest.mark.parametrize("plugin", [LikeRmm, LikeCupy])
def test_arrays_outlive_a_reset(using, plugin):
    manager = using(plugin)
    x, pinned = cuda.to_device([1.0]), cuda.pinned_array(3)
    cuda.close()
    with pytest.raises(errors.CudaAPIError):
        x.copy_to_host()
    del x, pinned
    again = cuda.current_context().memory_manager
    assert again is not manager and type(again) is plugin
    assert cuda.to_device([1.0]).copy_to_host().tolist() == [1]


def closed_flag():
    flag = cuda.mapped_array(1, np.int32)
    flag[0] = 0
    return flag


def test_memory_stays_while_a_stream_uses_it(using):
    manager = using(Recorder)
    stream, flag = cuda.stream(), closed_flag()
    x = cuda.device_array(64)
    add_when[1, 64, stream](flag, x, 1)
    del x
    gc.collect()
    assert list(manager.alive.values()) == [4, 512]
    flag[0] = 1
    stream.synchronize()
    cuda.synchronize()
    assert list(manager.alive.values()) == [4]


def test_launches_made_again_use_it_too(using):
    """The third launch with the same arrays is prepared: what it uses is noted in another way."""
    manager = using(Recorder)
    stream, flag = cuda.stream(), closed_flag()
    x = cuda.device_array(64)
    flag[0] = 1
    for _ in range(4):
        add_when[1, 64, stream](flag, x, 1)
        stream.synchronize()
    flag[0] = 0
    add_when[1, 64, stream](flag, x, 1)
    del x
    gc.collect()
    assert list(manager.alive.values()) == [4, 512]
    flag[0] = 1
    stream.synchronize()
    cuda.synchronize()
    assert list(manager.alive.values()) == [4]


def test_a_shortage_waits_for_what_streams_use(using):
    class Small(Recorder):
        def memalloc(self, size):
            if sum(self.alive.values()) + size > 1000:
                raise MemoryError("the pool is empty")
            return super().memalloc(size)

    manager = using(Small)
    stream, flag = cuda.stream(), closed_flag()
    x = cuda.device_array(64)
    add_when[1, 64, stream](flag, x, 1)
    with pytest.raises(MemoryError, match="the pool is empty"):
        cuda.device_array(64)
    del x
    threading.Timer(0.2, flag.__setitem__, (0, 1)).start()
    y = cuda.device_array(64)
    assert list(manager.alive.values()) == [4, 512]
    assert flag[0] == 1
    del y


def test_any_thread_may_drop_the_last_reference(using):
    manager = using(Recorder)
    arrays = [cuda.to_device(np.arange(100.0)) for _ in range(8)]

    def work(array):
        add[1, 128](array, 1)
        array.copy_to_host()

    threads = [threading.Thread(target=work, args=(arrays.pop(),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del threads, thread
    cuda.synchronize()
    assert manager.alive == {}


def test_own_management_as_a_plugin(using):
    class Counting(driver.NumbaCUDAMemoryManager):
        count = 0

        def memalloc(self, size):
            self.count += 1
            return super().memalloc(size)

    manager = using(Counting)
    x = cuda.to_device(np.arange(4.0))
    add[1, 32](x, 1)
    assert x.copy_to_host().tolist() == [1, 2, 3, 4]
    assert manager.count == 1
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    del x
    cuda.synchronize()
    assert len(cuda.current_context().deallocations) == 1
