# Kernels, one idea per file: the kernel, its launch, what it gives, and what its PTX must look like.
