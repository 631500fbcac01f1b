# A module of Numba's that Treadle has not.
# ERROR TypingError 13:14
# TWIN 13:     out[0] = math.sin(x[0])
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    out[0] = cuda.libdevice.sinf(x[0])


def run():
    kernel[1, 4](np.ones(4), np.zeros(4))


# MESSAGE
# library_of_nvidia.py:13:14: error: module treadle.cuda has no attribute 'libdevice' that can be used in a kernel
#   13 |     out[0] = cuda.libdevice.sinf(x[0])
#      |              ^~~~~~~~~~~~~~
#   help:     use the functions of math, which are libdevice's where it is installed
