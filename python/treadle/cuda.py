"""CUDA Python: `from treadle import cuda`.

Kernels are functions under `@cuda.jit`, launched as `kernel[blocks, threads](...)`. Names for use in kernels (`grid`,
`threadIdx`, `shared.array`, `syncthreads`, `atomic.add`, ...) are here too; on the host they raise RuntimeError.
"""

from treadle import types
from treadle.compiling import compile, compile_for_current_device, compile_ptx, compile_ptx_for_current_device
from treadle.devicearray import DeviceNDArray, device_array, device_array_like, to_device
from treadle.devices import detect, get_current_device, is_available, synchronize
from treadle.intrinsics import (
    activemask,
    all_sync,
    any_sync,
    atomic,
    ballot_sync,
    blockDim,
    blockIdx,
    brev,
    cbrt,
    cg,
    clock,
    clock64,
    clz,
    const,
    eq_sync,
    ffs,
    fma,
    globaltimer,
    grid,
    gridDim,
    gridsize,
    laneid,
    lanemask_lt,
    local,
    match_all_sync,
    match_any_sync,
    nanosleep,
    popc,
    selp,
    shared,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    syncwarp,
    threadfence,
    threadfence_block,
    threadfence_system,
    threadIdx,
    warpsize,
)
from treadle.jit import autojit, jit
from treadle.streams import (
    Event,
    Stream,
    default_stream,
    event,
    event_elapsed_time,
    external_stream,
    legacy_default_stream,
    per_thread_default_stream,
    stream,
)
from treadle.types import *  # noqa: F403
from treadle.types import __all__ as _type_names

__all__ = [
    "activemask", "all_sync", "any_sync", "atomic", "autojit", "ballot_sync", "blockDim", "blockIdx", "brev", "cbrt",
    "cg", "clock", "clock64", "clz", "compile", "compile_for_current_device", "compile_ptx",
    "compile_ptx_for_current_device", "const", "default_stream", "detect", "device_array", "device_array_like",
    "DeviceNDArray", "eq_sync", "Event", "event", "event_elapsed_time", "external_stream", "ffs", "fma",
    "get_current_device", "globaltimer", "grid", "gridDim", "gridsize", "is_available", "jit", "laneid",
    "lanemask_lt", "legacy_default_stream", "local", "match_all_sync", "match_any_sync", "nanosleep",
    "per_thread_default_stream", "popc", "selp", "shared", "shfl_down_sync", "shfl_sync", "shfl_up_sync",
    "shfl_xor_sync", "Stream", "stream", "synchronize", "syncthreads", "syncthreads_and", "syncthreads_count",
    "syncthreads_or", "syncwarp", "threadfence", "threadfence_block", "threadfence_system", "threadIdx", "to_device",
    "types", "warpsize", *_type_names,
]  # fmt: skip
