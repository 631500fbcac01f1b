"""For programs that ask for `numba.cuda.cudadrv.linkable_code`: nothing can be linked with."""

from treadle.absent import reporter

__getattr__ = reporter(__name__, "treadle.cuda")
