"""CUDA Python: `from treadle import cuda`.

Kernels are functions under `@cuda.jit`, launched as `kernel[blocks, threads](...)`. Names for use in kernels (`grid`,
`threadIdx`, `shared.array`, `syncthreads`, `atomic.add`, ...) are here too; on the host they raise RuntimeError.
"""

from os.path import isfile as _isfile

from treadle import types
from treadle._core import as_cuda_array, from_cuda_array_interface, from_dlpack, is_cuda_array
from treadle.devices.devicearray import DeviceNDArray, DeviceRecord
from treadle.devices.new_arrays import device_array, device_array_like, is_cuda_ndarray, to_device
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
    cluster,
    clz,
    const,
    eq_sync,
    ffs,
    fma,
    globaltimer,
    grid,
    gridDim,
    gridsize,
    intrin,
    laneid,
    lanemask_lt,
    literal_unroll,
    literally,
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
from treadle.types import *  # noqa: F403
from treadle.types import __all__ as _type_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treadle.devices import devices
    from treadle.devices.availability import (
        cuda_error,
        detect,
        is_available,
        is_bfloat16_supported,
        is_float16_supported,
        is_fp8_supported,
        is_supported_version,
        runtime,
    )
    from treadle.devices.devices import (
        close,
        current_context,
        defer_cleanup,
        get_current_device,
        gpus,
        list_devices,
        require_context,
        select_device,
        synchronize,
    )
    from treadle.devices.external_memory import set_memory_manager
    from treadle.devices.graphs import Graph, graph
    from treadle.devices.host_memory import (
        In,
        InOut,
        Out,
        managed_array,
        mapped_array,
        mapped_array_like,
        pinned_array,
        pinned_array_like,
    )
    from treadle.devices.ipc import IpcHandle
    from treadle.devices.ipc_arrays import open_ipc_array
    from treadle.devices.memory import MemoryInfo
    from treadle.devices.memory_managers import (
        BaseCUDAMemoryManager,
        GetIpcHandleMixin,
        HostOnlyCUDAMemoryManager,
    )
    from treadle.devices.memory_pointers import MappedMemory, MemoryPointer, PinnedMemory
    from treadle.devices.pinning import mapped, pinned
    from treadle.devices.profiling import profile_start, profile_stop, profiling
    from treadle.devices.streams import (
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
    from treadle.errors import CudaSupportError, KernelRuntimeError
    from treadle.kernels.compiling import (
        compile,
        compile_all,
        compile_cubin,
        compile_for,
        compile_for_current_device,
        compile_mlir,
        compile_ptx,
        compile_ptx_for_current_device,
    )
    from treadle.kernels.jit import autojit, jit
    from treadle.kernels.reduction import Reduce, reduce
    from treadle.ufuncs.generalized import guvectorize
    from treadle.ufuncs.vectorized import vectorize

__all__ = [
    "activemask", "all_sync", "any_sync", "as_cuda_array", "atomic", "autojit", "ballot_sync", "BaseCUDAMemoryManager",
    "blockDim", "blockIdx", "brev", "cbrt", "cg", "clock", "clock64", "close", "cluster", "clz", "compile",
    "compile_all", "compile_cubin", "compile_for", "compile_for_current_device", "compile_mlir", "compile_ptx",
    "compile_ptx_for_current_device", "const", "cuda_error", "CudaSupportError", "current_context", "default_stream",
    "defer_cleanup", "detect", "device_array", "device_array_like", "DeviceNDArray", "DeviceRecord", "devices",
    "eq_sync", "Event", "event", "event_elapsed_time", "external_stream", "ffs", "fma", "from_cuda_array_interface",
    "from_dlpack", "get_current_device", "GetIpcHandleMixin", "globaltimer", "gpus", "Graph", "graph", "grid",
    "gridDim", "gridsize", "guvectorize", "HostOnlyCUDAMemoryManager", "In", "InOut", "intrin", "IpcHandle",
    "is_available", "is_bfloat16_supported", "is_cuda_array", "is_cuda_ndarray", "is_float16_supported",
    "is_fp8_supported", "is_supported_version", "jit", "KernelRuntimeError", "laneid", "lanemask_lt",
    "legacy_default_stream", "list_devices", "literal_unroll", "literally", "local", "managed_array", "mapped",
    "mapped_array", "mapped_array_like", "MappedMemory", "match_all_sync", "match_any_sync", "MemoryInfo",
    "MemoryPointer", "nanosleep", "open_ipc_array", "Out", "per_thread_default_stream", "pinned", "pinned_array",
    "pinned_array_like", "PinnedMemory", "popc", "profile_start", "profile_stop", "profiling", "Reduce", "reduce",
    "require_context", "runtime", "select_device", "selp", "set_memory_manager", "shared", "shfl_down_sync",
    "shfl_sync", "shfl_up_sync", "shfl_xor_sync", "Stream", "stream", "synchronize", "syncthreads", "syncthreads_and",
    "syncthreads_count", "syncthreads_or", "syncwarp", "threadfence", "threadfence_block", "threadfence_system",
    "threadIdx", "to_device", "types", "vectorize", "warpsize",
    *_type_names,
]  # fmt: skip


# Names that are imported lazily, by module: most programs start without them.
_LATER = {
    "kernels.compiling": (
        "compile", "compile_all", "compile_cubin", "compile_for", "compile_for_current_device", "compile_mlir",
        "compile_ptx", "compile_ptx_for_current_device",
    ),
    "devices.availability": (
        "cuda_error", "detect", "is_available", "is_bfloat16_supported", "is_float16_supported", "is_fp8_supported",
        "is_supported_version", "runtime",
    ),
    "devices.devices": (
        "close", "current_context", "defer_cleanup", "get_current_device", "gpus", "list_devices", "require_context",
        "select_device", "synchronize",
    ),
    "devices.ipc": ("IpcHandle",),
    "devices.ipc_arrays": ("open_ipc_array",),
    "devices.memory_managers": ("BaseCUDAMemoryManager", "GetIpcHandleMixin", "HostOnlyCUDAMemoryManager"),
    "devices.external_memory": ("set_memory_manager",),
    "devices.memory_pointers": ("MappedMemory", "MemoryPointer", "PinnedMemory"),
    "errors": ("CudaSupportError", "KernelRuntimeError"),
    "devices.graphs": ("Graph", "graph"),
    "devices.host_memory": (
        "In", "InOut", "Out", "managed_array", "mapped_array", "mapped_array_like", "pinned_array",
        "pinned_array_like",
    ),
    "devices.pinning": ("mapped", "pinned"),
    "devices.profiling": ("profile_start", "profile_stop", "profiling"),
    "kernels.jit": ("autojit", "jit"),
    "kernels.reduction": ("Reduce", "reduce"),
    "devices.memory": ("MemoryInfo",),
    "devices.streams": (
        "Event", "Stream", "default_stream", "event", "event_elapsed_time", "external_stream",
        "legacy_default_stream", "per_thread_default_stream", "stream",
    ),
    "ufuncs.generalized": ("guvectorize",),
    "ufuncs.vectorized": ("vectorize",),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names}
# The last of them are public in numba.cuda only because it imports them from other modules, but programs use them.
_MODULES = {
    "config": "treadle.config", "devices": "treadle.devices.devices", "driver": "treadle.cuda.cudadrv.driver",
    "devicearray": "treadle.cuda.cudadrv.devicearray", "nvvm": "treadle.cuda.cudadrv.nvvm",
    "reduction": "treadle.kernels.reduction",
    "contextlib": "contextlib", "np": "numpy", "os": "os", "sys": "sys",
}  # fmt: skip


def __getattr__(name):
    if name in _MODULE_OF:
        value = getattr(__import__(f"treadle.{_MODULE_OF[name]}", fromlist=[name]), name)
    elif name in _MODULES:
        value = __import__(_MODULES[name], fromlist=[name])
    else:
        return __import__("treadle.absent", fromlist=[name]).submodule(__name__, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_MODULE_OF, "devices", "fp16", "random"})


if _isfile(".numba_config.yaml"):
    __import__("treadle.config", fromlist=["reload_config"]).reload_config()
