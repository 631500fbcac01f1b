# Mutated kernels: whatever comes in, the process lives on.
