"""The functions of kernels, under the name of `numba.cuda.stubs`."""

from treadle.absent import reporter
from treadle.intrinsics import *  # noqa: F403

__getattr__ = reporter(__name__, "treadle.intrinsics", "treadle.cuda")
