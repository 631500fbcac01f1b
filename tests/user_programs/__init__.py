# Programs that write kernels in the ways that users of CUDA Python do; each checks its own results.
