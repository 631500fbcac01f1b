"""For programs that import `numba.cuda.simulator`: the same functions, run by the CPU device."""

from treadle.absent import reporter
from treadle.cuda import *  # noqa: F403
from treadle.devices.devices import reset

__all__ = ["reset"]

__getattr__ = reporter(__name__, "treadle.cuda")
