# Random kernels, run by Treadle and by the oracle.
