# A function of CUDA Python without its module.
# ERROR NotDefinedError 11:7
# TWIN 11:     x[cuda.grid(1)] = 2
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x):
    x[grid(1)] = 2


def run():
    kernel[1, 1](np.ones(4))


# MESSAGE
# function_of_cuda_not_imported.py:11:7: error: the name 'grid' is not defined
#   11 |     x[grid(1)] = 2
#      |       ^~~~
#   help:     write cuda.grid, after from treadle import cuda
