"""Memory from plugins: choosing the class of all memory managers, and allocating from the manager of a device."""

from treadle import _core
from treadle.devices.devices import contexts, contexts_made
from treadle.devices.memory_managers import check_plugin, choose_plugin
from treadle.devices.memory_pointers import address_of, checked_size


def set_memory_manager(mm_plugin):
    """Makes a class the memory manager of all devices: all their memory comes from it.

    To be called before memory or a context is used; later it raises RuntimeError, until `cuda.close()` has reset all
    devices. RuntimeError, too, for a class of another interface version than 1; TypeError for one that lacks
    methods of `BaseCUDAMemoryManager`. `cuda.cudadrv.driver.NumbaCUDAMemoryManager` stands for Treadle's own.
    """
    check_plugin(mm_plugin)
    if _is_used():
        raise RuntimeError(
            "a memory manager can be chosen only before arrays and contexts are used: call set_memory_manager() at "
            "the beginning of the program, or cuda.close() before it"
        )
    choose_plugin(mm_plugin)


def _is_used():
    return _core.holds_memory() or any(context._manager is not None for context in contexts_made())


def allocate(ordinal, size, kind):
    """(address, owner) of `size` bytes from the manager of a device; `kind`: device, pinned, mapped or managed.

    If the manager runs out, memory that dropped arrays hold until their work has run is first returned to it.
    """
    manager = contexts()[ordinal].memory_manager
    method, arguments = _METHODS[kind]
    name = f"{type(manager).__name__}.{method}"
    if not hasattr(manager, method):
        raise NotImplementedError(
            f"the memory manager has no {name}(size, attach_global): cuda.managed_array needs it, or a manager "
            "derived from HostOnlyCUDAMemoryManager"
        )
    take = getattr(manager, method)
    try:
        memory = take(size, *arguments)
    except Exception as error:
        if not _is_shortage(error) or not _core.settle_lent(ordinal):
            raise
        memory = take(size, *arguments)
    return _address(memory, kind, size, name), memory


# The method that allocates each kind of memory.
_METHODS = {
    "device": ("memalloc", ()),
    "pinned": ("memhostalloc", (False, False, False)),
    "mapped": ("memhostalloc", (True, False, False)),
    "managed": ("memallocmanaged", (True,)),
}


def _is_shortage(error):
    return isinstance(error, MemoryError) or getattr(error, "code", None) == _core.CudaResult.OUT_OF_MEMORY


def _address(memory, kind, size, name):
    try:
        pointer = memory.device_pointer if kind in ("device", "managed") else memory.host_pointer
        given = memory.size
    except AttributeError:
        raise TypeError(
            f"{name} must return a memory pointer, such as cuda.MemoryPointer, found {memory!r} of type "
            f"{type(memory).__name__}"
        ) from None
    try:
        address, given = address_of(pointer), checked_size(given)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} returned {memory!r}: {error}") from None
    if given < size or address == 0:
        raise RuntimeError(f"{name} was asked for {size} bytes and returned {given} at address {address:#x}")
    return address
