# A function of NumPy that kernels do not have.
# ERROR UnsupportedError 11:14
# TWIN 11:     out[0] = np.mean(x)
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = np.median(x)


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# numpy_function_missing.py:11:14: error: 'numpy.median' is not supported in kernels
#   11 |     out[0] = np.median(x)
#      |              ^~~~~~~~~~~~
#   help:     write a loop over the elements, or call it on the host
