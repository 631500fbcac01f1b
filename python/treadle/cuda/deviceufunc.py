"""Numba's layout: the classes of `cuda.vectorizers`, under their older names."""

from treadle.ufuncs.generalized import CUDAGeneralizedUFunc as GeneralizedUFunc
from treadle.ufuncs.generalized import CUDAGUFuncVectorize as DeviceGUFuncVectorize
from treadle.ufuncs.generalized import parse_layout as parse_signature
from treadle.ufuncs.vectorized import CUDAVectorize as DeviceVectorize

__all__ = ["DeviceGUFuncVectorize", "DeviceVectorize", "GeneralizedUFunc", "parse_signature"]
