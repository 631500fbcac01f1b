"""The names of `treadle.cuda`, under the name of `numba.cuda.device_init`."""

from treadle.absent import reporter
from treadle.cuda import *  # noqa: F403

__getattr__ = reporter(__name__, "treadle.cuda")
