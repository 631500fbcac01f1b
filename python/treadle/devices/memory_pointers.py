"""Pieces of memory as memory managers return them, under the names and with the arguments that Numba gives them.

A finalizer is a function without arguments that frees the memory. It is called once, when its pointer is dropped and
the work that was queued on the memory has run, with the pointer's device selected. Finalizers of pointers alive at
process exit are not called.
"""

import ctypes
import weakref

from treadle import _core


class DevicePointer(ctypes.c_void_p):
    """An address, also available through `int`."""

    def __int__(self):
        return self.value or 0

    __index__ = __int__


def address_of(pointer):
    """The address in a pointer: an int, a ctypes or cuda-bindings pointer, None for 0. TypeError for others, ValueError
    for a number that is not an address."""
    value = getattr(pointer, "value", pointer)
    if value is None:
        return 0
    kind = type(value)
    # Numbers without `__index__` are fractional; texts have neither.
    if not hasattr(kind, "__index__") and (hasattr(kind, "__float__") or not hasattr(kind, "__int__")):
        raise TypeError(f"expected a pointer, found {pointer!r} of type {type(pointer).__name__}")
    address = int(value)
    if not 0 <= address < 2**64:
        raise ValueError(f"a pointer is an address from 0 to 2**64 - 1, found {address}")
    return address


def checked_size(size, name="size"):
    """`size`, if it is a valid number of bytes. TypeError, ValueError for anything else."""
    if isinstance(size, bool) or not hasattr(type(size), "__index__"):
        raise TypeError(f"{name} must be an int, found {size!r} of type {type(size).__name__}")
    if not 0 <= size < 2**63:
        raise ValueError(f"{name} must be a number of bytes, found {size}")
    return size


def _check_piece(pointer, size, finalizer):
    """Validates the arguments of a piece of memory: TypeError, ValueError."""
    address_of(pointer)
    checked_size(size)
    if finalizer is not None and not callable(finalizer):
        raise TypeError(f"finalizer must be a function without arguments, or None, found {finalizer!r}")


def device_number(context):
    """The number of a context's device; None: the thread's device."""
    return _core.current_device() if context is None else context.device.id


def _finalizer(memory, context, function):
    ordinal = device_number(context)
    # At exit, work on streams may still use the memory, and the process's end frees all of it.
    finalizer = weakref.finalize(memory, _core.end_memory, ordinal, _core.device_generation(ordinal), function)
    finalizer.atexit = False
    return finalizer


class MemoryPointer:
    """Bytes of a device's memory; the views of it keep it alive.

    `context`: as `cuda.current_context()`, or a manager's `self.context`. `pointer`: the address, an int or a pointer
    of ctypes or cuda-bindings. `size`: in bytes. `owner`: another object that keeps the memory alive, instead of the
    pointer itself. `finalizer`: called when the pointer is dropped, or by `free()`; without one the memory is freed
    elsewhere.

    >>> from treadle import cuda
    >>> memory = cuda.current_context().memalloc(16)
    >>> memory.memset(255)
    >>> memory.view(4, 12).size
    8
    """

    __cuda_memory__ = True
    _kind = "device"

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        _check_piece(pointer, size, finalizer)
        self.context = context
        self.device_pointer = pointer
        self.size = size
        self.handle = pointer
        self._cuda_memsize_ = size
        self._owner = owner
        self.is_managed = finalizer is not None
        self.refct = 1
        if finalizer is not None:
            self._finalizer = _finalizer(self, context, finalizer)

    @property
    def owner(self):
        """The object that keeps the memory alive: the pointer itself, unless another object was given."""
        return self if self._owner is None else self._owner

    @property
    def device_pointer_value(self):
        """The address of the first byte; None without bytes."""
        return address_of(self.device_pointer) or None

    @property
    def device_ctypes_pointer(self):
        """The address as given; for Treadle's own memory, a `ctypes.c_void_p`."""
        return self.device_pointer

    def __int__(self):
        return self.device_pointer_value or 0

    def view(self, start, stop=None):
        """The bytes from `start` up to `stop`, or to the end. RuntimeError if they are out of range."""
        stop = checked_stop(self.size, start, stop)
        pointer = DevicePointer((self.device_pointer_value or 0) + start)
        view = MemoryPointer(self.context, pointer, stop - start, owner=self.owner)
        return OwnedPointer(self.owner, view) if isinstance(self.owner, MemoryPointer) else view

    def memset(self, byte, count=None, stream=0):
        """Sets all bytes, or the first `count`."""
        fill_bytes(self._alive(), byte, self.size if count is None else count, stream)

    def own(self):
        """A new owner of the same bytes: an `OwnedPointer`."""
        return OwnedPointer(self)

    def free(self):
        """Calls the finalizer, if there is one. RuntimeError if it was called before."""
        if not self.is_managed:
            return
        if not self._finalizer.alive:
            raise RuntimeError("this memory was freed: free() was called before")
        self._finalizer()

    def _alive(self):
        """A device array over the bytes."""
        if self.is_managed and not self._finalizer.alive:
            raise RuntimeError("this memory was freed: free() was called before")
        return _core.foreign_bytes(device_number(self.context), int(self), self.size, self, self._kind)

    def __repr__(self):
        return f"<{type(self).__name__} of {self.size} bytes>"


def checked_stop(size, start, stop):
    """The end of a view, the size for None. RuntimeError if the view is out of range."""
    stop = size if stop is None else stop
    if not 0 <= start <= stop <= size:
        raise RuntimeError(f"bytes {start} to {stop} lie outside of the {size} that there are")
    return stop


class ArrayMemory(MemoryPointer):
    """The bytes of a device array, which live as long as any array or pointer over them."""

    def __init__(self, array, context):
        self._bytes = array
        self._context = context

    @property
    def context(self):
        """The context of the array's device."""
        self._alive()
        return self._context

    @property
    def owner(self):
        """The pointer itself."""
        return self

    @property
    def size(self):
        """Size in bytes."""
        return self._alive().size

    @property
    def device_pointer(self):
        """The address, a `ctypes.c_void_p` that supports `int`."""
        return DevicePointer(self._alive()._address)

    handle = device_pointer
    is_managed = True
    _cuda_memsize_ = size

    def view(self, start, stop=None):
        """The bytes from `start` up to `stop`, or to the end. RuntimeError if they are out of range."""
        return ArrayMemory(self._bytes[start : checked_stop(self.size, start, stop)], self._context)

    def own(self):
        """A new owner of the same bytes."""
        return ArrayMemory(self._alive(), self._context)

    def free(self):
        """Releases this owner; the bytes are freed with their last owner. RuntimeError if it was already released."""
        self._alive()
        self._bytes = None

    def _alive(self):
        if self._bytes is None:
            raise RuntimeError("this memory was freed: free() was called before")
        return self._bytes

    def __repr__(self):
        return "<MemoryPointer, freed>" if self._bytes is None else f"<MemoryPointer of {self.size} bytes>"


def first_bytes(memory, size, what):
    """A device array of the first bytes of one. ValueError, which names the argument, if it has fewer."""
    if size < 0:
        raise ValueError(f"a number of bytes must not be negative, found {size}")
    if len(memory) < size:
        raise ValueError(f"{what} has {len(memory)} bytes, fewer than the {size} asked for")
    return memory[:size]


def fill_bytes(memory, value, size, stream):
    """Sets the first bytes of a device array to a value."""
    if not 0 <= value <= 255:
        raise ValueError(f"a byte lies between 0 and 255, found {value}")
    first_bytes(memory, size, "dst")._fill(value, stream)


def row_of_bytes(array):
    """The bytes of a contiguous device array, as an array. ValueError for any other."""
    if not (array.is_c_contiguous() or array.is_f_contiguous()):
        raise ValueError(f"only contiguous arrays are bytes in a row, found strides {array.strides}")
    return array._view(_core.type_named("uint8"), 0, (array.nbytes,), (1,))


class AutoFreePointer(MemoryPointer):
    """A MemoryPointer that is freed with the last of the owners that `own()` has made, or when it is dropped."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.refct -= 1


class OwnedPointer:
    """One of the owners of a MemoryPointer; has its attributes, or those of `view`."""

    __cuda_memory__ = True

    def __init__(self, memptr, view=None):
        self._mem = memptr
        self._view = memptr if view is None else view
        memptr.refct += 1
        weakref.finalize(self, _disown, memptr).atexit = False

    def __getattr__(self, name):
        if name in ("_mem", "_view"):
            raise AttributeError(name)
        return getattr(self._view, name)

    def __int__(self):
        return int(self._view)

    def _alive(self):
        return _core.foreign_bytes(device_number(self.context), int(self), self.size, self, self._view._kind)

    def __repr__(self):
        return f"<{type(self).__name__} of {self.size} bytes>"


def _disown(memory):
    memory.refct -= 1
    if memory.refct == 0 and memory.is_managed and memory._finalizer.alive:
        memory.free()


class _HostBytes:
    """Host memory, accessible to NumPy and, from Python 3.12 on, to `memoryview`."""

    host_pointer: object
    size: int

    @property
    def __array_interface__(self):
        address = address_of(self.host_pointer)
        return {"shape": (self.size,), "typestr": "|u1", "data": (address, False), "version": 3}

    def __buffer__(self, flags):
        return memoryview((ctypes.c_ubyte * self.size).from_address(address_of(self.host_pointer)))


class MappedMemory(_HostBytes, AutoFreePointer):
    """Page-locked memory of the host, at `pointer`, that kernels access in place. Arguments as of MemoryPointer;
    `owner`: for pinned memory, the object that owns it."""

    _kind = "mapped"

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        super().__init__(context, pointer, size, finalizer=finalizer)
        self.owned = owner
        self.host_pointer = pointer
        self._buflen_, self._bufptr_ = size, address_of(pointer)

    def own(self):
        """A new owner of the same bytes: a `MappedOwnedPointer`."""
        return MappedOwnedPointer(self)


class MappedOwnedPointer(_HostBytes, OwnedPointer):
    """One of the owners of a MappedMemory."""


class ManagedMemory(MappedMemory):
    """Memory that migrates between host and device. Arguments as of MemoryPointer."""

    _kind = "managed"

    def own(self):
        """A new owner of the same bytes: a `ManagedOwnedPointer`."""
        return ManagedOwnedPointer(self)


class ManagedOwnedPointer(_HostBytes, OwnedPointer):
    """One of the owners of a ManagedMemory."""


class PinnedMemory(_HostBytes):
    """Page-locked memory of the host. Arguments as of MappedMemory."""

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        _check_piece(pointer, size, finalizer)
        self.context = context
        self.owned = owner
        self.size = size
        self.host_pointer = self.handle = pointer
        self.is_managed = finalizer is not None
        self._buflen_, self._bufptr_ = size, address_of(pointer)
        if finalizer is not None:
            self._finalizer = _finalizer(self, context, finalizer)

    def own(self):
        """Itself."""
        return self

    def __repr__(self):
        return f"<PinnedMemory of {self.size} bytes>"
