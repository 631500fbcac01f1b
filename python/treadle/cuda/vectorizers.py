"""Numba's layout: what `vectorize` and `guvectorize` make for target="cuda"."""

from treadle.ufuncs.generalized import CUDAGeneralizedUFunc, CUDAGUFuncVectorize
from treadle.ufuncs.vectorized import CUDAUFuncDispatcher, CUDAVectorize

__all__ = ["CUDAGUFuncVectorize", "CUDAGeneralizedUFunc", "CUDAUFuncDispatcher", "CUDAVectorize"]
