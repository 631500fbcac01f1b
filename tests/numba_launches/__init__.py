"""numba-cuda's own launches on the stand-in for the CUDA driver."""
