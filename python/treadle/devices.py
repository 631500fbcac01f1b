"""Devices and their contexts, as in Numba: which device a thread uses, its properties, and its reset.

A context is a device with everything created on it: arrays, streams, events. Threads start with device 0; `with
cuda.gpus[1]:` and `cuda.select_device(1)` change that for the thread.
"""

from _operator import index
from _thread import _local  # threading.local, without the import of threading

from treadle import _core
from treadle.memory import MemoryManager
from treadle.types import uint8

# Attributes that have two names in CUDA, by the other one.
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
    """A name: a str that programs for older versions may call `decode` on."""

    def decode(self, encoding="utf-8", errors="strict"):
        return str(self)


class Device:
    """A device. Every CU_DEVICE_ATTRIBUTE_* is an attribute without that prefix, such as MAX_THREADS_PER_BLOCK.

    `with device:` makes it the thread's current device within the block.
    """

    supports_float16 = True  # of compute capability 5.3 and above, which is all that Treadle compiles for
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

        Using arrays, streams and events created before raises CudaAPIError; dropping them does nothing.
        """
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
    """A device with everything created on it. One per device; `cuda.current_context()` is the thread's."""

    def __init__(self, device):
        self.device = device
        self.memory_manager = MemoryManager(device.id)
        self._modules = {}
        self._generation = 0  # of the device, when the modules were loaded

    @property
    def deallocations(self):
        """The deallocation queue: `memory_manager.deallocations`."""
        return self.memory_manager.deallocations

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
        return self.memory_manager.defer_cleanup()

    def memalloc(self, bytesize):
        """Uninitialised memory: a `cudadrv.driver.MemoryPointer`. Raises what `cuda.device_array` raises."""
        from treadle.cuda.cudadrv.driver import MemoryPointer

        with self.device:
            return MemoryPointer(_core.device_array(bytesize, uint8))

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """Page-locked host memory, or memory shared by device and host, as an array of bytes."""
        from treadle.host_memory import mapped_array, pinned_array

        with self.device:
            return (mapped_array if mapped else pinned_array)(bytesize, uint8)

    def mempin(self, owner, pointer, size, mapped=False):
        """Registers host memory as page-locked for the lifetime of the result: `size` bytes at `pointer`, which belong
        to `owner`. Returns an array of these bytes. Raises CudaAPIError if part of it is already pinned.
        """
        from treadle.host_arrays import pinned_bytes

        return pinned_bytes(owner, index(pointer), index(size))

    def memallocmanaged(self, bytesize, attach_global=True):
        """Memory that migrates between host and device automatically, as an array of bytes."""
        from treadle.host_memory import managed_array

        with self.device:
            return managed_array(bytesize, uint8)

    @property
    def modules(self):
        """What `create_module_ptx` has loaded and neither `unload` nor a reset has unloaded: a dict from handles.
        Kernels under `cuda.jit` load their own code, and unload it with them.
        """
        if self._generation != (generation := _core.device_generation(self.device.id)):
            self._modules.clear()
            self._generation = generation
        return self._modules

    def create_module_ptx(self, ptx):
        """Loads the text of PTX, a str or bytes, as it is: a `cudadrv.driver.Module`, which stays loaded until its
        `unload`, or until the context is reset.

        Raises CudaAPIError with what the driver says of code that it does not take, NotImplementedError on the CPU
        device, TypeError for anything but a str or bytes (also a bytearray or a memoryview).
        """
        return self._loaded(
            ptx.encode() if isinstance(ptx, str) else _bytes_of("ptx", ptx, "the text of PTX, a str or bytes")
        )

    def create_module_image(self, image):
        """`create_module_ptx` for what the driver can load: PTX, a cubin or a fatbin, as bytes."""
        return self._loaded(_bytes_of("image", image, "PTX, a cubin or a fatbin, as bytes"))

    def _loaded(self, code):
        from treadle.cuda.cudadrv.modules import Module

        module = Module(self, _core.LoadedCode(self.device.id, code))
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

        `peer_context`: the index of a device.
        """
        if not 0 <= peer_context < _core.device_count() or peer_context == self.device.id:
            return False
        return _core.can_access_peer(self.device.id, peer_context)

    def enable_peer_access(self, peer_context, flags=0):
        """Does nothing if access is possible; raises ValueError otherwise."""
        if not self.can_access_peer(peer_context):
            raise ValueError(f"device {self.device.id} has no peer {peer_context}")

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
        from treadle.occupancy import potential_block

        with self.device:
            return potential_block(func, b2d_func, (index(blocksizelimit), index(memsize), flags or 0))

    def __repr__(self):
        return f"<Context of device {self.device.id}>"


def _bytes_of(name, value, what):
    try:
        return bytes(memoryview(value))  # `bytes` alone would make zeros of a number
    except TypeError:
        pass
    raise TypeError(f"{name} must be {what}, found {type(value).__name__}")


class _ContextStack(_local):
    """The calling thread's current context, which `_core` has by its device, and what a `pop` returns to."""

    def __init__(self):
        self.below = []  # the device that was current before each `push` not yet popped

    def top(self):
        return contexts()[_core.current_device()]

    def push(self, context):
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
        # Of several threads that arrive at once, one makes the list that all of them get.
        found = _made.setdefault("contexts", [Context(Device(ordinal)) for ordinal in range(_core.device_count())])
    return found


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
        return _stack.top()
    wanted = _context(devnum)
    if not _stack.below:
        _stack.push(wanted)
    if _stack.top() is not wanted:
        raise RuntimeError(f"this thread uses device {_stack.top().device.id}, and cannot get the context of {devnum}")
    return wanted


def _context(device_id):
    ordinal = index(device_id)
    _core.device_generation(ordinal)  # an error where there is no such device
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
    _stack.clear()


def is_available():
    """True if kernels can be launched: on a GPU, or on the CPU device, which always can. Never raises."""
    return cuda_error() is None


def cuda_error():
    """None, or the exception that prevents kernels from being launched."""
    try:
        _core.device_count()
    except Exception as error:
        return error
    return None


def is_supported_version():
    """True: the installed components work together."""
    return True


def is_float16_supported():
    """True: kernels on every device have float16."""
    return True


def is_bfloat16_supported():
    """Whether kernels on this thread's device can use bfloat16: `Device.supports_bfloat16`."""
    return get_current_device().supports_bfloat16


def is_fp8_supported():
    """Whether kernels on this thread's device can use numbers of 8 bits: `Device.supports_fp8`."""
    return get_current_device().supports_fp8


class _Runtime:
    """The CUDA runtime version that the generated PTX is for; no runtime has to be installed."""

    def get_version(self):
        """(major, minor) of the CUDA version that the generated PTX requires.

        >>> from treadle import cuda
        >>> cuda.runtime.get_version()
        (12, 0)
        """
        return 12, 0

    def is_supported_version(self):
        """True."""
        return True

    @property
    def supported_versions(self):
        """The supported versions of the CUDA toolkit: any from 12.0 on."""
        return ((12, 0),)


runtime = _Runtime()


def detect():
    """Prints the devices found, and returns True if kernels can run on one."""
    if not is_available():
        print("No device found")
        return False
    print(f"Found {len(gpus)} device{'s' if len(gpus) != 1 else ''}")
    for device in gpus:
        major, minor = device.compute_capability
        print(f"id {device.id}    {device.name}    [SUPPORTED]")
        print(f"                      Compute Capability: {major}.{minor}")
        print(f"                                    UUID: {device.uuid}")
        for name, value in _core.device_details(device.id):
            print(f"{name:>40}: {value}")
    return True


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
