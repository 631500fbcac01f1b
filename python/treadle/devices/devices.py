"""Devices and their contexts, as in Numba: which device a thread uses, its properties, and its reset.

"Context" is Numba's name for a device and its allocations. `with cuda.gpus[1]:` and `select_device(1)` change the
thread's.
"""

from _operator import index
from _thread import _local  # threading.local, without the import of threading

from treadle import _core
from treadle.devices import peers
from treadle.devices.memory import Deallocations, MemoryManager
from treadle.devices.occupancy import potential_block
from treadle.forks import ForkLock
from treadle.types import uint8

# Attributes that have two names in CUDA, keyed by the other one.
_SECOND_NAMES = {
    "SHARED_MEMORY_PER_BLOCK": "MAX_SHARED_MEMORY_PER_BLOCK",
    "REGISTERS_PER_BLOCK": "MAX_REGISTERS_PER_BLOCK",
    "MAXIMUM_TEXTURE2D_ARRAY_WIDTH": "MAXIMUM_TEXTURE2D_LAYERED_WIDTH",
    "MAXIMUM_TEXTURE2D_ARRAY_HEIGHT": "MAXIMUM_TEXTURE2D_LAYERED_HEIGHT",
    "MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES": "MAXIMUM_TEXTURE2D_LAYERED_LAYERS",
    "VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED": "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
    "CAN_USE_STREAM_MEM_OPS_V1": "CAN_USE_STREAM_MEM_OPS",
}


class _Name(str):
    """A name: a str with a `decode` method, for programs written for older versions."""

    def decode(self, encoding="utf-8", errors="strict"):
        return str(self)


class Device:
    """A device. Every CU_DEVICE_ATTRIBUTE_* is an attribute without that prefix, such as MAX_THREADS_PER_BLOCK.

    `with device:` makes it the thread's current device within the block.
    """

    supports_float16 = True  # of compute capability 5.3 and above, which covers everything that Treadle compiles for
    supports_bfloat16 = False
    supports_fp8 = False

    def __init__(self, ordinal):
        self.id = ordinal

    @property
    def name(self):
        """Its name: of the CPU device, the processor's."""
        return _Name(_core.device_name(self.id))

    @property
    def uuid(self):
        """Identifies the device on this machine, in the format of the CUDA driver: "GPU-" and 32 digits."""
        known = _core.device_uuid(self.id)
        if known:
            return known
        import uuid

        return f"GPU-{uuid.uuid5(uuid.NAMESPACE_OID, f'treadle {self.name} {uuid.getnode()} {self.id}')}"

    def get_device_identity(self):
        """Identifies the device to other processes, a dict: its PCI bus location; for a CPU device, also its number."""
        identity = {f"pci_{name}_id": getattr(self, f"PCI_{name.upper()}_ID") for name in ("domain", "bus", "device")}
        return identity | ({"cpu": self.id} if _core.uses_host_arrays(self.id) else {})

    @classmethod
    def from_identity(cls, identity):
        """The device of a `get_device_identity()`. RuntimeError if this process has none."""
        for device in gpus:
            if device.get_device_identity() == identity:
                return device
        raise RuntimeError(f"this process has no device {identity}: do CUDA_VISIBLE_DEVICES, TREADLE_DEVICE hide it?")

    @property
    def compute_capability(self):
        """A tuple such as (9, 0)."""
        return divmod(_core.device_compute_capability(self.id), 10)

    def __getattr__(self, attribute):
        number = _core.device_attribute_numbers().get(_SECOND_NAMES.get(attribute, attribute))
        if number is None:
            raise AttributeError(f"devices have no attribute '{attribute}'")
        value = _core.device_attribute(self.id, number)
        setattr(self, attribute, value)
        return value

    def __dir__(self):
        return [*super().__dir__(), *_core.device_attribute_numbers(), *_SECOND_NAMES]

    def get_primary_context(self):
        """The device's only context."""
        return contexts()[self.id]

    def release_primary_context(self):
        """The same as `reset`."""
        self.reset()

    def reset(self):
        """Waits for all work, then frees everything that was created on the device.

        Using arrays, streams and events created before raises CudaAPIError; dropping them does nothing. A memory
        manager of another library is reset, too: raises what its reset raises.
        """
        plugin = contexts()[self.id]._plugin
        if plugin is None:
            return _core.reset_device(self.id)
        _core.await_device(self.id)
        try:
            _core.on_device(self.id, plugin.reset)
        finally:
            _core.reset_device(self.id)

    def __enter__(self):
        _stack.push(self.get_primary_context())
        return self

    def __exit__(self, *_):
        if _stack.below:  # `close` clears the stack
            _stack.pop()

    def __repr__(self):
        return f"<{_core.device_kind(self.id)} device {self.id} '{self.name}'>"

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(("treadle device", self.id))


class Context:
    """A device and everything created on it. One per device; `cuda.current_context()` is the thread's."""

    def __init__(self, device):
        self.device = device
        self.deallocations = Deallocations(device.id)
        self._manager = self._initializing = None  # until first used
        self._binding = ForkLock(self._stop_initializing)  # managers may use the device while being initialised
        self._modules, self._generation = {}, 0  # that of the device, when the modules were loaded

    @property
    def memory_manager(self):
        """The device's memory manager: Treadle's `MemoryManager`, or an instance of the class given to
        `cuda.set_memory_manager`. Raises what that class raises while it is made and initialized."""
        return self._bind() if self._manager is None else self._manager

    def _bind(self):
        with self._binding:
            manager = self._initializing if self._manager is None else self._manager
            if manager is None and _core.uses_external_memory():
                from treadle.devices.memory_managers import manager_for

                manager = self._initialized(manager_for(self))
            if manager is None:
                manager = MemoryManager(self.device.id)
            if self._initializing is None:
                self._manager = manager
            return manager

    def _stop_initializing(self):
        self._initializing = None

    def _initialized(self, plugin):
        self._initializing = plugin  # for this thread: it holds the lock
        try:
            if plugin is not None:
                _core.on_device(self.device.id, plugin.initialize)
        finally:
            self._initializing = None
        return plugin

    @property
    def _plugin(self):
        """The external memory manager in use, or None."""
        return None if isinstance(self._manager, MemoryManager) else self._manager

    def get_memory_info(self):
        """A named tuple (free, total) of bytes. Pending deallocations and cached memory count as free.

        >>> from treadle import cuda
        >>> free, total = cuda.current_context().get_memory_info()
        >>> 0 < free <= total
        True
        """
        return self.memory_manager.get_memory_info()

    def synchronize(self):
        """Waits until all launches and copies on the device have finished."""
        with self.device:
            _core.synchronize()

    def reset(self):
        """`Device.reset`."""
        self.device.reset()

    def defer_cleanup(self):
        """`cuda.defer_cleanup`, for this device."""
        if self._plugin is None:
            return self.deallocations.disable()
        from treadle.devices.memory_managers import deferred_cleanup

        return deferred_cleanup(self._plugin, self.deallocations)

    def memalloc(self, bytesize):
        """Uninitialised memory: a `cudadrv.driver.MemoryPointer`. Raises what `cuda.device_array` raises."""
        from treadle.devices.memory_pointers import ArrayMemory

        with self.device:
            return ArrayMemory(_core.device_array(bytesize, uint8), self)

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """Page-locked host memory, or memory shared by device and host, as an array of bytes."""
        from treadle.devices.host_memory import mapped_array, pinned_array

        with self.device:
            return (mapped_array if mapped else pinned_array)(bytesize, uint8)

    def mempin(self, owner, pointer, size, mapped=False):
        """Registers host memory as page-locked for the lifetime of the result: `size` bytes at `pointer`, which belong
        to `owner`. Returns an array of these bytes. Raises CudaAPIError if part of it is already pinned.
        """
        from treadle.devices.host_arrays import pinned_bytes

        return pinned_bytes(owner, index(pointer), index(size), current_context)

    def memallocmanaged(self, bytesize, attach_global=True):
        """Memory that migrates between host and device automatically, as an array of bytes."""
        from treadle.devices.host_memory import managed_array

        with self.device:
            return managed_array(bytesize, uint8)

    def get_ipc_handle(self, memory):
        """A `cuda.IpcHandle` of a MemoryPointer, for other processes: made by the external memory manager, if one is in
        use. Waits for the work that uses the memory. Raises what `DeviceNDArray.get_ipc_handle` raises."""
        manager = self.memory_manager
        if not isinstance(manager, MemoryManager):
            return _core.on_device(self.device.id, lambda: manager.get_ipc_handle(memory))
        from treadle.devices.ipc import export_memory

        return export_memory(self, memory)

    def open_ipc_handle(self, handle, size):
        """`size` bytes from the beginning of an allocation of another process, by the 64 bytes of its handle: a
        MemoryPointer. Raises what `cuda.IpcHandle.open` raises."""
        from treadle.devices.ipc import IpcHandle

        return IpcHandle(None, handle, size).open_direct(self)

    @property
    def modules(self):
        """The modules loaded by `create_module_ptx` that neither `unload` nor a reset has unloaded: a dict keyed by
        handle. Kernels under `cuda.jit` load their own code, and unload it with them.
        """
        if self._generation != (generation := _core.device_generation(self.device.id)):
            self._modules.clear()
            self._generation = generation
        return self._modules

    def create_module_ptx(self, ptx):
        """Loads the text of PTX, a str or bytes, as it is: a `cudadrv.driver.Module`, which stays loaded until its
        `unload`, or until the context is reset.

        Raises CudaAPIError with the driver's message for code that it rejects, NotImplementedError on the CPU device,
        TypeError for anything but a str or bytes (also a bytearray or a memoryview).
        """
        return self._loaded("ptx", ptx.encode() if isinstance(ptx, str) else ptx, "the text of PTX, a str or bytes")

    def create_module_image(self, image):
        """`create_module_ptx` for any format that the driver can load: PTX, a cubin or a fatbin, as bytes."""
        return self._loaded("image", image, "PTX, a cubin or a fatbin, as bytes")

    def _loaded(self, name, code, what):
        from treadle.devices.modules import Module, bytes_of

        module = Module(self, _core.LoadedCode(self.device.id, bytes_of(name, code, what)))
        self.modules[module.handle.value] = module
        return module

    def unload_module(self, module):
        """`Module.unload`."""
        module.unload()

    def push(self):
        """Makes it the calling thread's context until `pop`."""
        _stack.push(self)

    def pop(self):
        """Restores the context from before the last `push`. RuntimeError if this is not the thread's current
        context."""
        if not _stack.below or _stack.top() is not self:
            raise RuntimeError(f"{self!r} is not the context of this thread: it was not pushed last")
        _stack.pop()

    def can_access_peer(self, peer_context):
        """Whether kernels on this device can access another device's memory; CPU devices share theirs.

        `peer_context`: the index of a device, a Device or a Context. False for anything but another device.
        """
        return peers.can_access(self, peer_context)

    def enable_peer_access(self, peer_context, flags=0):
        """From now on, until either device is reset, launches on this device take arrays of the other one.

        `peer_context`: the index of a device, a Device or a Context. Raises CudaAPIError with CUDA's codes: 101 if
        there is no such device, 217 if access is not possible, 704 if it is enabled already, by any software.
        """
        peers.enable(self, peer_context, flags)

    def get_active_blocks_per_multiprocessor(self, func, blocksize, memsize, flags=None):
        """How many blocks of `blocksize` threads and `memsize` bytes of dynamic shared memory a multiprocessor can run
        concurrently.

        `func`: an overload of a kernel, one of `kernel.overloads.values()`. `flags`: CUoccupancy_flags; None: 0.
        Raises ValueError if no such block can be launched. On CUDA the result of
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags.
        """
        with self.device:
            return func._active_blocks(index(blocksize), index(memsize), flags or 0)

    def get_max_potential_block_size(self, func, b2d_func, memsize, blocksizelimit, flags=None):
        """(grid, block): the block with which most threads run at once, and the least grid that fills the device with
        such blocks. On the CPU device the largest block.

        `b2d_func`: None, or a function from the number of threads to the bytes of dynamic shared memory, which
        otherwise are `memsize`. `blocksizelimit`: most threads of a block; 0: the kernel's own limit. On CUDA the
        result of cuOccupancyMaxPotentialBlockSizeWithFlags.
        """
        with self.device:
            return potential_block(func, self.device, b2d_func, (index(blocksizelimit), index(memsize), flags or 0))

    def __repr__(self):
        return f"<Context of device {self.device.id}>"


class _ContextStack(_local):
    """The calling thread's current context, which `_core` knows by its device, and those to which `pop` returns."""

    def __init__(self):
        self.below = []  # the device that was current before each `push` not yet popped

    def top(self):
        return contexts()[_core.current_device()]

    def push(self, context):
        context.memory_manager  # noqa: B018 (a context that is used has its manager)
        below = _core.current_device()
        _core.select_device(context.device.id)
        self.below.append(below)

    def pop(self):
        _core.select_device(self.below.pop())

    def replace(self, context):
        if self.below:
            _core.select_device(context.device.id)
        else:
            self.push(context)

    def clear(self):
        self.below.clear()
        _core.select_device(0)


_stack = _ContextStack()


_made: dict[str, list[Context]] = {}


def contexts():
    """All devices, in the order of their numbers."""
    found = _made.get("contexts")
    if found is None:
        # If several threads get here at once, one makes the list for all of them.
        found = _made.setdefault("contexts", [Context(Device(ordinal)) for ordinal in range(_core.device_count())])
    return found


def contexts_made():
    """As `contexts`, but makes none: before the first use there are none."""
    return _made.get("contexts", [])


class _DeviceList:
    """The devices, by index."""

    def __getitem__(self, ordinal):
        devices, ordinal = self.lst, index(ordinal)
        if not -len(devices) <= ordinal < len(devices):
            raise IndexError(f"device {ordinal} does not exist: there are {len(devices)}, counted from 0")
        return devices[ordinal]

    def __len__(self):
        return _core.device_count()

    def __iter__(self):
        return iter(self.lst)

    def __str__(self):
        return ", ".join(str(device) for device in self.lst)

    @property
    def lst(self):
        """As a list."""
        return [context.device for context in contexts()]

    @property
    def current(self):
        """The calling thread's device."""
        return _stack.top().device


gpus = _DeviceList()


def list_devices():
    """All devices, as `cuda.gpus`."""
    return gpus


def get_current_device():
    """The device of this thread."""
    return _stack.top().device


def current_context(devnum=None):
    """The calling thread's context. With a number, that device becomes the thread's if it has none yet.

    Raises RuntimeError if the thread already uses another device, and CudaAPIError for a device that does not exist.
    """
    if devnum is None:
        context = _stack.top()
        context.memory_manager  # noqa: B018 (a context that is used has its manager)
        return context
    wanted = _context(devnum)
    if not _stack.below:
        _stack.push(wanted)
    if _stack.top() is not wanted:
        raise RuntimeError(f"this thread uses device {_stack.top().device.id}, and cannot get the context of {devnum}")
    return wanted


def _context(device_id):
    ordinal = index(device_id)
    _core.device_generation(ordinal)  # raises if there is no such device
    return contexts()[ordinal]


def select_device(device_id):
    """Makes the device current for the calling thread, and returns it. Raises CudaAPIError if it does not exist."""
    context = _context(device_id)
    _stack.replace(context)
    return context.device


def require_context(fn):
    """A decorator that runs `fn` with a current context, which every thread has in Treadle."""

    from functools import wraps

    @wraps(fn)
    def with_context(*args, **kwargs):
        _stack.top()
        return fn(*args, **kwargs)

    return with_context


def reset():
    """`close`, under its name in `cuda.devices`."""
    close()


def close():
    """Resets all devices, as `Device.reset`, and clears the calling thread's selection of devices."""
    for context in contexts():
        context.reset()
        context._manager = None
    _stack.clear()


def synchronize():
    """Waits until all launches and copies on the thread's device have finished."""
    _core.synchronize()


def defer_cleanup():
    """`with cuda.defer_cleanup():` memory dropped in it is deallocated at the end of the block at the earliest, so that
    no deallocation waits for the device in between. Nests. Deallocates also if an exception leaves the block.

    >>> from treadle import cuda
    >>> with cuda.defer_cleanup():
    ...     for step in range(100):
    ...         scratch = cuda.device_array(1000)
    """
    return current_context().defer_cleanup()
