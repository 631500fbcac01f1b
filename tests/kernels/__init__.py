# Kernels, one idea per file: the kernel, its launch, its results, and what its PTX must look like.
