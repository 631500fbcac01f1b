"""Launches PTX on the stand-in for the CUDA driver, whose machine runs it (tests/fakedriver, tests/ptxmachine)."""

import ctypes
import functools
import os
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
# Under a name of its own: in this process Treadle and others find no CUDA by it.
LIBRARY = ROOT / "build/dev/tests/fakedriver/libfakedriver_private.so"
CAPABILITY = "FAKE_CUDA_CAPABILITY"

BUFFER_POINTER, BUFFER_SIZE, END = 1, 2, 0  # CU_LAUNCH_PARAM_*
ERROR_LOG, ERROR_LOG_BYTES = 5, 6  # CU_JIT_ERROR_LOG_BUFFER, _SIZE_BYTES
LARGE_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class Failed(Exception):
    """A driver call gave an error."""


@functools.cache
def driver():
    """The stand-in with a current context. A kernel that breaks a rule ends the process with a line that says how."""
    is_chosen = CAPABILITY in os.environ
    os.environ.setdefault(CAPABILITY, "90")
    library = ctypes.CDLL(str(LIBRARY))

    def call(name, *arguments):
        if result := getattr(library, name)(*arguments):
            raise Failed(f"{name}: {result}")

    call("cuInit", 0)
    if not is_chosen:
        del os.environ[CAPABILITY]
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    return call


def load(text):
    """A handle of the module; Failed has the log of what is wrong with the text."""
    module, log = ctypes.c_void_p(), ctypes.create_string_buffer(4000)
    options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
    try:
        driver()("cuModuleLoadDataEx", ctypes.byref(module), text.encode() + b"\0", 2, options, values)
    except Failed as error:
        raise Failed(f"{error}: {log.value.decode()}") from None
    return module


def root_of(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Memory:
    """Copies of arrays of the host on the device. Views of one array share its copy."""

    def __init__(self):
        self.copies = {}

    def address(self, array):
        root = root_of(array)
        low, high = np.lib.array_utils.byte_bounds(root) if hasattr(np.lib, "array_utils") else np.byte_bounds(root)
        if low not in self.copies:
            pointer = ctypes.c_uint64()
            driver()("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(high - low, 1)))
            if high > low:
                driver()("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(low), ctypes.c_size_t(high - low))
            self.copies[low] = (pointer, high - low, root)
        return self.copies[low][0].value + array.ctypes.data - low

    def copy_back(self):
        for low, (pointer, size, root) in self.copies.items():
            if size and root.flags.writeable:
                driver()("cuMemcpyDtoH_v2", ctypes.c_void_p(low), pointer, ctypes.c_size_t(size))

    def free(self):
        for pointer, _, _ in self.copies.values():
            driver()("cuMemFree_v2", pointer)


def launch(module, entry, grid, block, parameters, shared=0):
    """`parameters` is a ctypes structure, the parameter block. Waits for the kernel."""
    function = ctypes.c_void_p()
    driver()("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
    if shared > 48 << 10:
        driver()("cuFuncSetAttribute", function, LARGE_SHARED, shared)
    last = getattr(type(parameters), type(parameters)._fields_[-1][0]) if type(parameters)._fields_ else None
    size = ctypes.c_size_t(last.offset + last.size if last else 0)
    extra = (ctypes.c_void_p * 5)(
        BUFFER_POINTER, ctypes.addressof(parameters), BUFFER_SIZE, ctypes.addressof(size), END
    )
    driver()("cuLaunchKernel", function, *grid, *block, shared, None, None, extra if last else None)
    driver()("cuCtxSynchronize")
