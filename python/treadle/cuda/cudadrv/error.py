"""Errors of devices, under the names of `numba.cuda.cudadrv.error`."""

from treadle.errors import CudaAPIError, CudaDriverError, CudaSupportError, LinkerError

__all__ = ["CudaAPIError", "CudaDriverError", "CudaSupportError", "LinkerError"]
