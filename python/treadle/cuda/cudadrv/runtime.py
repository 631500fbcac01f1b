"""The CUDA runtime, as `numba.cuda.cudadrv.runtime` names it."""

from treadle.devices import runtime

__all__ = ["runtime"]
