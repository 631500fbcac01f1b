"""External memory managers, as plugins with the interface that Numba defines (docs/managers.md).

A plugin is a class: one instance per device allocates the memory of that device's arrays. Selected by
`set_memory_manager` or the setting TREADLE_CUDA_MEMORY_MANAGER.
"""

import contextlib
import weakref
from abc import ABCMeta, abstractmethod
from importlib import import_module

from treadle import _core
from treadle.devices.ipc import export_memory
from treadle.devices.memory import Deallocations, MemoryManager
from treadle.devices.memory_pointers import (
    DevicePointer,
    ManagedMemory,
    MappedMemory,
    MemoryPointer,
    PinnedMemory,
    address_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treadle.devices.devices import Context

INTERFACE_VERSION = 1
_chosen: dict[str, type] = {}  # "plugin": the program's choice, or the one that the setting names


class BaseCUDAMemoryManager(metaclass=ABCMeta):
    """The interface of a memory manager. One instance is created per device, as `cls(context=context)`."""

    def __init__(self, *args, **kwargs):
        if "context" not in kwargs:
            raise RuntimeError("a memory manager is made for a context: call its class with context=...")
        self.context = kwargs.pop("context")

    @abstractmethod
    def memalloc(self, size):
        """`size` bytes of the device's memory, more than 0: a `MemoryPointer`."""

    @abstractmethod
    def memhostalloc(self, size, mapped, portable, wc):
        """`size` bytes of page-locked memory of the host: a `MappedMemory` where `mapped`, otherwise a
        `PinnedMemory`. `portable`: pinned for all devices. `wc`: write-combined."""

    @abstractmethod
    def mempin(self, owner, pointer, size, mapped):
        """Page-locks `size` bytes at the address `pointer`, which belong to `owner`: a `MappedMemory` or a
        `PinnedMemory`, whose finalizer undoes that."""

    @abstractmethod
    def initialize(self):
        """Called before the manager is used. May be called again."""

    @abstractmethod
    def get_ipc_handle(self, memory):
        """An `IpcHandle` of a `MemoryPointer`."""

    @abstractmethod
    def get_memory_info(self):
        """A `MemoryInfo`, or NotImplementedError."""

    @abstractmethod
    def reset(self):
        """The context is being reset: all memory allocated so far can be freed. All work has ended."""

    @abstractmethod
    def defer_cleanup(self):
        """A context manager that defers deallocations which would make the device wait."""

    @property
    @abstractmethod
    def interface_version(self):
        """1."""


class HostOnlyCUDAMemoryManager(BaseCUDAMemoryManager):
    """A memory manager for device memory only: Treadle allocates and pins host memory, and managed memory.

    `allocations` is a dict for the plugin's own use, which `reset` empties. Overrides of `reset` and `defer_cleanup`
    must call the base methods.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.allocations = {}
        self.deallocations = Deallocations(0 if self.context is None else self.context.device.id)

    def memhostalloc(self, size, mapped=False, portable=False, wc=False):
        """As in the base class, implemented by Treadle. `portable` and `wc` have no effect: it is pinned for all
        devices."""
        return self._own(MappedMemory, size, "mapped") if mapped else self._own(PinnedMemory, size, "pinned")

    def mempin(self, owner, pointer, size, mapped=False):
        """As in the base class, implemented by Treadle. CudaAPIError if part of the memory is pinned already."""
        pinned = _core.PinnedRange(owner, address_of(pointer), size)
        kind = MappedMemory if mapped else PinnedMemory
        return kind(
            weakref.proxy(self.context), DevicePointer(address_of(pointer)), size, owner=owner, finalizer=pinned.release
        )

    def memallocmanaged(self, size, attach_global=True):
        """`size` bytes that migrate between host and device: a `ManagedMemory`."""
        return self._own(ManagedMemory, size, "managed")

    def reset(self):
        """Empties `allocations`."""
        self.allocations.clear()
        self.deallocations.clear()

    @contextlib.contextmanager
    def defer_cleanup(self):
        """Defers Treadle's own deallocations."""
        with self.deallocations.disable():
            yield

    def _own(self, kind, size, name):
        """Memory from the device, freed through Treadle's queue."""
        memory = [_core.own_bytes(self.context.device.id, size, name)]
        return kind(weakref.proxy(self.context), DevicePointer(memory[0]._address), size, finalizer=memory.clear)


class GetIpcHandleMixin:
    """`get_ipc_handle` for memory managers that suballocate from allocations of the driver, or of Treadle."""

    context: "Context"

    def get_ipc_handle(self, memory):
        """The handle of the allocation that contains a MemoryPointer, with the pointer's offset in it."""
        return export_memory(self.context, memory)


class NumbaCUDAMemoryManager(GetIpcHandleMixin, HostOnlyCUDAMemoryManager):
    """Treadle's own memory management as a plugin: selecting it is the same as selecting none; a subclass changes part
    of it.
    """

    def initialize(self):
        """Nothing."""

    def memalloc(self, size):
        """As in the base class."""
        return self._own(MemoryPointer, size, "device")

    def get_memory_info(self):
        """As without a plugin."""
        return MemoryManager(self.context.device.id).get_memory_info()

    @property
    def interface_version(self):
        """1."""
        return INTERFACE_VERSION


def check_plugin(plugin):
    version = plugin(context=None).interface_version
    if version != INTERFACE_VERSION:
        raise RuntimeError(
            f"the memory manager {getattr(plugin, '__name__', plugin)} has interface version {version}: "
            f"version {INTERFACE_VERSION} required"
        )


def choose_plugin(plugin):
    _chosen["plugin"] = plugin
    _core.use_external_memory(plugin is not NumbaCUDAMemoryManager)


def _plugin():
    if "plugin" in _chosen:
        return _chosen["plugin"]
    module = _core.setting("TREADLE_CUDA_MEMORY_MANAGER")
    try:
        plugin = import_module(module)._numba_memory_manager
        check_plugin(plugin)
    except Exception as error:
        raise RuntimeError(
            f"the memory manager of {module}, which NUMBA_CUDA_MEMORY_MANAGER or TREADLE_CUDA_MEMORY_MANAGER names, "
            f"cannot be used: {type(error).__name__}: {error}"
        ) from error
    choose_plugin(plugin)
    return plugin


@contextlib.contextmanager
def deferred_cleanup(plugin, deallocations):
    """`cuda.defer_cleanup()` while a plugin manages the memory: the plugin's, and Treadle's for everything else."""
    with plugin.defer_cleanup(), deallocations.disable():
        yield


def manager_for(context):
    """A new object of the plugin for a context, not yet initialized; None: Treadle manages its memory itself."""
    if not _core.uses_external_memory():
        return None
    plugin = _plugin()
    return None if plugin is NumbaCUDAMemoryManager else plugin(context=context)
