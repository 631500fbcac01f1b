"""CUDA Python: `from treadle import cuda`.

Kernels are functions under `@cuda.jit`, launched as `kernel[blocks, threads](...)`. Names for use in kernels (`grid`,
`threadIdx`, `shared.array`, `syncthreads`, `atomic.add`, ...) are here too; on the host they raise RuntimeError.
"""

from treadle import types
from treadle.compiling import compile, compile_for_current_device, compile_ptx, compile_ptx_for_current_device
from treadle.devicearray import DeviceNDArray, device_array, device_array_like, to_device
from treadle.devices import detect, get_current_device, is_available, synchronize
from treadle.intrinsics import (
    atomic,
    blockDim,
    blockIdx,
    grid,
    gridDim,
    gridsize,
    laneid,
    local,
    shared,
    syncthreads,
    threadIdx,
    warpsize,
)
from treadle.jit import autojit, jit
from treadle.types import *  # noqa: F403
from treadle.types import __all__ as _type_names

__all__ = [
    "DeviceNDArray", "atomic", "autojit", "blockDim", "blockIdx", "compile", "compile_for_current_device",
    "compile_ptx", "compile_ptx_for_current_device", "detect", "device_array", "device_array_like",
    "get_current_device", "grid", "gridDim", "gridsize", "is_available", "jit", "laneid", "local", "shared",
    "synchronize", "syncthreads", "threadIdx", "to_device", "types", "warpsize", *_type_names,
]  # fmt: skip
