"""Numba's layout: the classes that `vectorize` and `guvectorize` create for target="cuda"."""

from treadle.ufuncs.generalized import CUDAGeneralizedUFunc, CUDAGUFuncVectorize
from treadle.ufuncs.vectorized import CUDAUFuncDispatcher, CUDAVectorize

__all__ = ["CUDAGUFuncVectorize", "CUDAGeneralizedUFunc", "CUDAUFuncDispatcher", "CUDAVectorize"]
