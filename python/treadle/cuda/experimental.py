"""The experimental features of `numba_cuda_mlir.cuda.experimental`: `consteval`."""

from treadle.absent import reporter
from treadle.source.compile_time import consteval

__all__ = ["consteval"]

__getattr__ = reporter(__name__, "treadle.source.compile_time")
