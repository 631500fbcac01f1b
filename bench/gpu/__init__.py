# What runs on a real GPU only: kernels beside nvcc's and numba-cuda's, launches, copies.
