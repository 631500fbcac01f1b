"""Errors of devices, under the names of `numba.cuda.cudadrv.error`."""

from treadle.absent import reporter
from treadle.errors import (
    CCSupportError,
    CudaAPIError,
    CudaDriverError,
    CudaRuntimeError,
    CudaSupportError,
    LinkerError,
    NvrtcCompilationError,
    NvrtcError,
    NvrtcSupportError,
    NvvmError,
    NvvmSupportError,
    NvvmWarning,
)

__all__ = [
    "CCSupportError", "CudaAPIError", "CudaDriverError", "CudaRuntimeError", "CudaSupportError", "LinkerError",
    "NvrtcCompilationError", "NvrtcError", "NvrtcSupportError", "NvvmError", "NvvmSupportError", "NvvmWarning",
]  # fmt: skip

__getattr__ = reporter(__name__)
