"""Modules of foreign PTX and binaries, under the names of `numba.cuda.cudadrv.driver`.

Kernels in Python need none of this: `cuda.jit` loads and launches them.
"""

import ctypes

from treadle import _core
from treadle.devices.memory_pointers import ArrayMemory

__all__ = ["Function", "Module", "launch_kernel"]


def bytes_of(name, value, what):
    """Code as bytes. TypeError otherwise, saying `what` the argument called `name` must be."""
    try:
        return bytes(memoryview(value))  # `bytes` alone would turn a number into zeros
    except TypeError:
        pass
    raise TypeError(f"{name} must be {what}, found {type(value).__name__}")


class Module:
    """A module of the CUDA driver; made by `Context.create_module_ptx` and `create_module_image`.

    `handle`: the driver's, as a `ctypes.c_void_p`. All methods raise CudaAPIError after `unload`, and after a reset of
    the context.
    """

    def __init__(self, context, code):
        self.context = context
        self.handle = ctypes.c_void_p(code.handle)
        self._code = code

    def get_function(self, name):
        """The kernel of that name, as the code has it: a `Function`. CudaAPIError if there is none."""
        return Function(self, name, self._code.function(name))

    def get_global_symbol(self, name):
        """(memory, bytes) of a variable: a `MemoryPointer`, valid as long as the module is loaded, and its size.
        CudaAPIError if there is none."""
        address, size = self._code.variable(name)
        shown = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}
        with self.context.device:
            return ArrayMemory(_core.from_cuda_array_interface(shown, self), self.context), size

    def unload(self):
        """Unloads the code, after all work of the device."""
        self._code.unload()
        self.context.modules.pop(self.handle.value, None)

    def __repr__(self):
        return f"<Module {self.handle.value:#x} of device {self.context.device.id}>"


class FunctionHandle(ctypes.c_void_p):
    """A driver handle, with the `Function` that it belongs to."""

    function: "Function"


class Function:
    """A kernel of a `Module`. `handle`: the driver's, as a `ctypes.c_void_p`, for `launch_kernel`."""

    def __init__(self, module, name, handle):
        self.module = module
        self.name = name
        self.handle = FunctionHandle(handle)
        self.handle.function = self

    def __repr__(self):
        return f"<Function {self.name}>"


def launch_kernel(cufunc_handle, gx, gy, gz, bx, by, bz, sharedmem, hstream, args, cooperative=False):
    """Launches a kernel of a `Module` and waits until it has run, as nothing else tracks its errors and the memory that
    it uses.

    `cufunc_handle`: `Function.handle`. `sharedmem`: bytes of dynamic shared memory. `hstream`: 0, a stream, or the
    driver's handle of one. `args`: one for each parameter, in order: a `ctypes` value of the parameter's size, or a
    `MemoryPointer` or device array, whose address is passed. The number and types of the parameters are not checked:
    the caller is responsible. Raises TypeError for other arguments, ValueError for shapes that the device
    cannot launch, CudaAPIError if the driver refuses the launch.
    """
    function = getattr(cufunc_handle, "function", None)
    if not isinstance(function, Function):
        raise TypeError(f"expected the handle of a Function, which Module.get_function makes, found {cufunc_handle!r}")
    values = [_parameter(place, value) for place, value in enumerate(args)]
    handle = getattr(hstream, "handle", hstream)
    stream = getattr(handle, "value", handle) or 0
    shape = (gx, gy, gz, bx, by, bz, sharedmem, int(bool(cooperative)))
    addresses = [ctypes.addressof(value) for value in values]
    function.module._code.launch(function.handle.value, shape, stream, addresses)


def _parameter(place, value):
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, ctypes.Array, ctypes.Union)):
        return value
    pointer = getattr(value, "device_ctypes_pointer", None)
    if pointer is None:
        raise TypeError(
            f"argument {place} of launch_kernel must be a value of ctypes or memory of the device, found {value!r}"
        )
    return pointer
