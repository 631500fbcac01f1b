"""For programs that import `numba.cuda.cudadrv.linkable_code`: linking is not supported."""

from treadle.absent import reporter

__getattr__ = reporter(__name__, "treadle.cuda")
