"""The CUDA runtime, under the name of `numba.cuda.cudadrv.runtime`."""

from treadle.absent import reporter
from treadle.devices.availability import _Runtime as Runtime
from treadle.devices.availability import runtime
from treadle.errors import CudaRuntimeError

__all__ = ["CudaRuntimeAPIError", "CudaRuntimeError", "Runtime", "get_version", "runtime"]

CudaRuntimeAPIError = CudaRuntimeError
get_version = runtime.get_version

__getattr__ = reporter(__name__)
