# Mutated kernels: the process survives any input.
