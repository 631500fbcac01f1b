# A number by the method of arrays.
# ERROR UnsupportedError 11:14
# TWIN 11:     out[0] = np.float32(x[0])
import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = x[0].astype(np.float32)


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# astype_of_number.py:11:14: error: the method 'astype' of float64 is not supported in kernels
#   11 |     out[0] = x[0].astype(np.float32)
#      |              ^~~~~~~~~~~~~~~~~~~~~~~
#   help:     convert the number by its type: float32(x), int64(x)
