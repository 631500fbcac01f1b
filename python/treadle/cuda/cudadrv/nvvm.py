"""For programs that import `numba.cuda.cudadrv.nvvm`: whether PTX can be generated, and the errors of libNVVM."""

from treadle.absent import reporter
from treadle.errors import NvvmError, NvvmSupportError, NvvmWarning

__all__ = ["NvvmError", "NvvmSupportError", "NvvmWarning", "get_arch_option", "is_available"]

__getattr__ = reporter(__name__)


def is_available():
    """True: Treadle generates PTX itself, without libNVVM."""
    return True


def get_arch_option(major, minor, arch=""):
    """The name of an architecture: "compute_90" for (9, 0), with `arch` ("a" or "f") appended."""
    return f"compute_{major}{minor}{arch}"
