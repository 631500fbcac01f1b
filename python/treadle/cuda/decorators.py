"""`cuda.jit`, under the name of `numba.cuda.decorators`."""

from treadle.absent import reporter
from treadle.kernels.jit import autojit, jit

__all__ = ["autojit", "jit"]

__getattr__ = reporter(__name__, "treadle.cuda")
