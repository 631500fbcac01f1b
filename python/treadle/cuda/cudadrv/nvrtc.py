"""For programs that import `numba.cuda.cudadrv.nvrtc`: names of architectures. Treadle compiles no CUDA C++."""

from treadle.absent import reporter
from treadle.cuda.cudadrv.nvvm import get_arch_option
from treadle.errors import NvrtcCompilationError, NvrtcError, NvrtcSupportError

__all__ = ["NvrtcCompilationError", "NvrtcError", "NvrtcSupportError", "get_arch_option"]

__getattr__ = reporter(__name__)
