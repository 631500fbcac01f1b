"""Errors of devices, as `numba.cuda.cudadrv.error` names them."""

from treadle.errors import CudaAPIError, CudaDriverError, CudaSupportError, LinkerError

__all__ = ["CudaAPIError", "CudaDriverError", "CudaSupportError", "LinkerError"]
