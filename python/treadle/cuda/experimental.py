"""What is experimental under `numba_cuda_mlir.cuda.experimental`: `consteval`."""

from treadle.absent import reporter
from treadle.compile_time import consteval

__all__ = ["consteval"]

__getattr__ = reporter(__name__, "treadle.compile_time")
