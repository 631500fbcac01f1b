"""Another library's allocator, as test programs have it: memory of the thread's device, by the C library or the CUDA
driver. And memory managers over it, in the shapes that RMM and CuPy have theirs."""

import ctypes
import gc
from contextlib import contextmanager
from functools import cache, partial

from treadle import cuda
from treadle.cuda import HostOnlyCUDAMemoryManager, MemoryInfo, MemoryPointer
from treadle.cuda.cudadrv import driver

_c = ctypes.CDLL(None)
_c.aligned_alloc.restype = ctypes.c_void_p
_c.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
_c.free.argtypes = [ctypes.c_void_p]


@cache
def is_cuda():
    return "CUDA" in repr(cuda.gpus[0])


def _driver():
    return ctypes.CDLL("libcuda.so.1")


def take(size):
    """The address of `size` bytes."""
    if not is_cuda():
        return _c.aligned_alloc(256, (size + 255) // 256 * 256)
    address = ctypes.c_uint64()
    result = _driver().cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size))
    assert result == 0, f"cuMemAlloc returned {result}"
    return address.value


def give_back(address):
    if not is_cuda():
        _c.free(address)
    else:
        result = _driver().cuMemFree_v2(ctypes.c_uint64(address))
        assert result == 0, f"cuMemFree returned {result}"


class DeviceBuffer:
    """As RMM's: memory that lives as long as the object."""

    def __init__(self, size):
        self.ptr, self.size = take(size), size

    def __del__(self):
        give_back(self.ptr)


class LikeRmm(HostOnlyCUDAMemoryManager):
    """Buffers in `allocations`, under their addresses; finalizers take them out unless a reset has."""

    def initialize(self):
        pass

    def memalloc(self, size):
        buffer = DeviceBuffer(size)
        allocations, key = self.allocations, int(buffer.ptr)
        allocations[key] = buffer

        def finalizer():
            if allocations:
                del allocations[key]

        return MemoryPointer(self.context, ctypes.c_uint64(key), size, finalizer=finalizer)

    def get_ipc_handle(self, memory):
        raise NotImplementedError("not this one")

    def get_memory_info(self):
        raise NotImplementedError()

    @property
    def interface_version(self):
        return 1


class Pool:
    """As CuPy's: free pieces are kept by their sizes."""

    def __init__(self):
        self.free, self.sizes, self.used = {}, {}, 0

    def malloc(self, size):
        pieces = self.free.setdefault(size, [])
        address = pieces.pop() if pieces else take(size)
        self.sizes[address] = size
        self.used += size
        return address

    def release(self, address):
        self.used -= self.sizes[address]
        self.free[self.sizes[address]].append(address)

    def free_all_blocks(self):
        for pieces in self.free.values():
            while pieces:
                give_back(pieces.pop())


class LikeCupy(HostOnlyCUDAMemoryManager):
    """A pool, made when it is first used, that is emptied by a reset and outside of `defer_cleanup`."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._allocations = {}
        self._pool = None
        self.deferred = 0

    def initialize(self):
        if self._pool is None:
            self._pool = Pool()

    def memalloc(self, nbytes):
        address = self._pool.malloc(nbytes)
        self._allocations[address] = nbytes
        return MemoryPointer(
            cuda.current_context(), ctypes.c_uint64(address), nbytes, finalizer=self._make_finalizer(address)
        )

    def _make_finalizer(self, address):
        allocations, pool = self._allocations, self._pool

        def finalizer():
            if allocations.pop(address, None) is not None:
                pool.release(address)

        return finalizer

    def get_ipc_handle(self, memory):
        raise NotImplementedError("not this one")

    def get_memory_info(self):
        return MemoryInfo(free=1000 - self._pool.used, total=1000)

    def reset(self):
        super().reset()
        if self._pool is not None:
            for address in list(self._allocations):
                self._pool.release(address)
                del self._allocations[address]
            self._pool.free_all_blocks()

    @contextmanager
    def defer_cleanup(self):
        with super().defer_cleanup():
            self.deferred += 1
            try:
                yield
            finally:
                self.deferred -= 1
                if not self.deferred:
                    self._pool.free_all_blocks()

    @property
    def interface_version(self):
        return 1


class Recorder(cuda.HostOnlyCUDAMemoryManager):
    """Says what it is called for, and what is alive."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.calls, self.alive, self.failing = [], {}, None
        self.taken = set()  # addresses of memory that a reset takes back

    def _piece(self, name, cls, size, finalizer, pointer):
        key = len(self.calls)
        self.calls.append((name, size))
        self.alive[key] = size

        def end():
            del self.alive[key]
            finalizer()

        return cls(self.context, pointer, size, finalizer=end)

    def _give_back(self, address):
        if address in self.taken:
            self.taken.remove(address)
            give_back(address)

    def memalloc(self, size):
        if self.failing:
            raise self.failing
        address = take(size)
        self.taken.add(address)
        end = partial(self._give_back, address)
        return self._piece("memalloc", cuda.MemoryPointer, size, end, ctypes.c_uint64(address))

    def memhostalloc(self, size, mapped, portable, wc):
        inner = super().memhostalloc(size, mapped)
        cls = cuda.MappedMemory if mapped else cuda.PinnedMemory
        name = "mapped" if mapped else "pinned"
        kept = [inner]
        return self._piece(name, cls, size, kept.clear, inner.host_pointer)

    def mempin(self, owner, pointer, size, mapped):
        inner = super().mempin(owner, pointer, size, mapped)
        kept = [inner]
        return self._piece(
            f"pin {mapped}", cuda.MappedMemory if mapped else cuda.PinnedMemory, size, kept.clear, inner.host_pointer
        )

    def initialize(self):
        self.calls.append(("initialize", 0))

    def get_ipc_handle(self, memory):
        return f"a handle of {memory.size} bytes at {memory.device_pointer_value}"

    def get_memory_info(self):
        return cuda.MemoryInfo(free=32, total=64)

    def reset(self):
        super().reset()
        self.calls.append(("reset", len(self.alive)))
        for address in list(self.taken):
            self._give_back(address)

    @property
    def interface_version(self):
        return 1


def choices():
    """Of a fixture: yields a function that chooses a class in fresh contexts, and returns the manager."""

    def use(plugin):
        cuda.close()
        cuda.set_memory_manager(plugin)
        return cuda.current_context().memory_manager

    yield use
    gc.collect()
    cuda.close()
    cuda.set_memory_manager(driver.NumbaCUDAMemoryManager)


_numba_memory_manager = LikeRmm
