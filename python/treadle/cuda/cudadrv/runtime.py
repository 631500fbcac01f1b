"""The CUDA runtime, under the name of `numba.cuda.cudadrv.runtime`."""

from treadle.devices import runtime

__all__ = ["runtime"]
