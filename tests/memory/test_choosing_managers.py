"""Which memory manager is used: what the program chooses, or a setting names; and the pointers that managers return."""

import ctypes
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from treadle import cuda
from treadle.cuda.cudadrv import driver

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import processes  # noqa: E402
from allocators import LikeCupy, LikeRmm, Recorder, choices  # noqa: E402


@pytest.fixture
def using():
    yield from choices()


class LaterVersion(Recorder):
    @property
    def interface_version(self):
        return 2


class TestChoosing:
    def test_before_anything_is_used(self, using):
        using(Recorder)
        for plugin in (Recorder, driver.NumbaCUDAMemoryManager):
            with pytest.raises(RuntimeError, match=r"before arrays and contexts are used: .* or cuda.close\(\)"):
                cuda.set_memory_manager(plugin)
        cuda.close()
        cuda.set_memory_manager(LikeRmm)
        assert isinstance(cuda.current_context().memory_manager, LikeRmm)

    def test_arrays_alone_are_a_use(self, using):
        cuda.close()
        cuda.set_memory_manager(driver.NumbaCUDAMemoryManager)
        x = cuda.device_array(3)
        with pytest.raises(RuntimeError, match="before arrays"):
            cuda.set_memory_manager(Recorder)
        del x
        with pytest.raises(RuntimeError, match="before arrays"):
            cuda.set_memory_manager(Recorder)

    def test_versions(self, using):
        cuda.close()
        with pytest.raises(RuntimeError, match="LaterVersion has interface version 2: version 1 required"):
            cuda.set_memory_manager(LaterVersion)

    def test_incomplete_classes(self, using):
        class Half(cuda.BaseCUDAMemoryManager):
            def memalloc(self, size):
                raise AssertionError

        cuda.close()
        with pytest.raises(TypeError, match="abstract"):
            cuda.set_memory_manager(Half)

    def test_a_context_is_needed(self):
        with pytest.raises(RuntimeError, match="made for a context"):
            Recorder()

    def test_without_a_plugin_it_is_treadles_own(self, using):
        manager = using(driver.NumbaCUDAMemoryManager)
        assert manager.cached_bytes == 0
        assert cuda.current_context().deallocations.max_pending_count > 0

    def test_threads_that_begin_at_once_share_a_manager(self, using):
        class Slow(Recorder):
            thread = None

            def initialize(self):
                super().initialize()
                self.thread = threading.get_ident()
                cuda.device_array(1)  # managers may use the device already
                time.sleep(0.05)
                self.thread = None

            def memalloc(self, size):
                assert self.thread in (None, threading.get_ident()), "it is not initialized"
                return super().memalloc(size)

        cuda.close()
        cuda.set_memory_manager(Slow)
        arrays, begin = [], threading.Barrier(8)

        def work():
            begin.wait(30)
            arrays.append(cuda.device_array(10))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        manager = cuda.current_context().memory_manager
        assert manager.calls.count(("initialize", 0)) == 1
        assert sorted(manager.alive.values()) == [80] * 8

    def test_failures_of_initialize(self, using):
        class Broken(Recorder):
            def initialize(self):
                raise OSError("no library")

        cuda.close()
        cuda.set_memory_manager(Broken)
        for _ in range(2):
            with pytest.raises(OSError, match="no library"):
                cuda.device_array(3)
        cuda.set_memory_manager(Recorder)
        assert cuda.device_array(3).size == 3


PROGRAM = """
import numpy as np
from treadle import cuda

@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value

assert cuda.is_available()
host = np.zeros(8)
add[1, 32](host, 1)
x = cuda.to_device(np.arange(4.0))
add[1, 32](x, 1)
manager = cuda.current_context().memory_manager
print(type(manager).__name__, x.copy_to_host().tolist(), host[0], len(getattr(manager, "allocations", ())))
"""


def run_with(module, variable="NUMBA_CUDA_MEMORY_MANAGER", program=PROGRAM):
    environment = {**os.environ, variable: module, "PYTHONPATH": processes.python_path(Path(__file__).parent)}
    return processes.run([sys.executable, "-c", program], 60, environment)


class TestSetting:
    @pytest.mark.parametrize("variable", ["NUMBA_CUDA_MEMORY_MANAGER", "TREADLE_CUDA_MEMORY_MANAGER"])
    def test_a_module_by_its_name(self, variable):
        done = run_with("allocators", variable)
        assert (done.stdout, done.stderr) == ("LikeRmm [1.0, 2.0, 3.0, 4.0] 1.0 1\n", "")

    def test_the_default(self):
        done = run_with("default")
        assert (done.stdout, done.stderr) == ("MemoryManager [1.0, 2.0, 3.0, 4.0] 1.0 0\n", "")

    @pytest.mark.parametrize("module, reason", [
        ("no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("json", "AttributeError: module 'json' has no attribute '_numba_memory_manager'"),
    ])  # fmt: skip
    def test_modules_that_cannot_be_used(self, module, reason):
        done = run_with(module, program="from treadle import cuda\ncuda.device_array(3)")
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"RuntimeError: the memory manager of {module}, which NUMBA_CUDA_MEMORY_MANAGER")
        assert last.endswith(f"cannot be used: {reason}")

    def test_a_choice_of_the_program_comes_first(self):
        done = run_with(
            "no_such_module",
            program=f"""
from allocators import LikeCupy
from treadle import cuda
cuda.set_memory_manager(LikeCupy)
{PROGRAM}
assert manager._allocations""",
        )
        assert (done.stdout, done.stderr) == ("LikeCupy [1.0, 2.0, 3.0, 4.0] 1.0 0\n", "")

    def test_as_a_setting_of_the_program(self):
        done = run_with(
            "default",
            program=f"""
from treadle import config
assert config.CUDA_MEMORY_MANAGER == "default"
config.CUDA_MEMORY_MANAGER = "allocators"
{PROGRAM}""",
        )
        assert (done.stdout, done.stderr) == ("LikeRmm [1.0, 2.0, 3.0, 4.0] 1.0 1\n", "")


def test_at_exit_no_finalizer_is_called():
    done = run_with(
        "default",
        program="""
from treadle import cuda
from allocators import LikeRmm

class Loud(LikeRmm):
    def memalloc(self, size):
        memory = super().memalloc(size)
        return cuda.MemoryPointer(self.context, memory.handle, size, finalizer=lambda: print("ended", memory.size))

cuda.set_memory_manager(Loud)
x, y = cuda.device_array(3), cuda.device_array(4)
del y
""",
    )
    assert (done.stdout, done.stderr) == ("ended 32\n", "")


class TestPointers:
    def test_kinds_of_pointers(self):
        class OfADriver:
            def __int__(self):
                return 4096

        context = cuda.current_context()
        for pointer in (4096, ctypes.c_void_p(4096), ctypes.c_uint64(4096), OfADriver()):
            memory = cuda.MemoryPointer(context, pointer, 16)
            assert int(memory) == memory.device_pointer_value == 4096
            assert memory.handle is memory.device_pointer is memory.device_ctypes_pointer is pointer
            assert (memory.size, memory.owner, memory.context) == (16, memory, context)
        assert cuda.MemoryPointer(context, None, 0).device_pointer_value is None
        with pytest.raises(TypeError, match="expected a pointer, found 'x'"):
            int(cuda.MemoryPointer(context, "x", 1))

    def test_finalizers_are_called_once(self):
        ended = []
        memory = cuda.MemoryPointer(cuda.current_context(), 4096, 16, finalizer=lambda: ended.append(1))
        view = memory.view(4, 8)
        assert (int(view), view.size) == (4100, 4)
        del memory
        assert ended == []
        del view
        assert ended == [1]
        memory = cuda.MemoryPointer(cuda.current_context(), 4096, 16, finalizer=lambda: ended.append(2))
        memory.free()
        assert ended == [1, 2]
        with pytest.raises(RuntimeError, match="was freed"):
            memory.free()
        with pytest.raises(RuntimeError, match="was freed"):
            memory.memset(0)
        del memory
        assert ended == [1, 2]

    def test_owners_are_counted(self):
        ended, kept = [], {}
        memory = driver.AutoFreePointer(
            cuda.current_context(), 4096, 16, finalizer=lambda: ended.append(kept.popitem())
        )
        kept[4096] = memory
        first, second = memory.own(), memory.own()
        assert (memory.refct, first.size, int(second)) == (2, 16, 4096)
        del memory, first
        assert not ended
        del second
        assert len(ended) == 1 and not kept

    def test_bytes_of_a_plugin_can_be_copied(self, using):
        manager = using(LikeCupy)
        memory = manager.memalloc(16)
        memory.memset(7)
        host = bytearray(16)
        driver.device_to_host(host, memory, 16)
        assert bytes(host) == b"\7" * 16
        driver.host_to_device(memory.view(4, 8), b"abcd", 4)
        driver.device_to_host(host, memory.own(), 16)
        assert bytes(host) == b"\7" * 4 + b"abcd" + b"\7" * 8
        assert driver.is_device_memory(memory) and driver.device_memory_size(memory) == 16

    def test_host_memory_as_an_array(self):
        manager = driver.NumbaCUDAMemoryManager(context=cuda.current_context())
        for mapped in (False, True):
            memory = manager.memhostalloc(8, mapped)
            array = np.asarray(memory)
            array[:] = 5
            assert ctypes.string_at(memory.host_pointer.value, 8) == b"\5" * 8
            assert isinstance(memory, cuda.MappedMemory if mapped else cuda.PinnedMemory)
            assert (memory.size, memory.owned) == (8, None)
