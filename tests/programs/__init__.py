# Random programs of one grammar, compared with Python on typed numbers, with NumPy, and with a model of CUDA's threads.
