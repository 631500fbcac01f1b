# An import inside a kernel.
# ERROR UnsupportedError 13:5
# TWIN 13:     m = math
import math

import numpy as np

from treadle import cuda


@cuda.jit
def kernel(x, out):
    import math as m

    out[0] = m.sqrt(x[0])


def run():
    kernel[1, 1](np.ones(4), np.zeros(4))


# MESSAGE
# import_statement.py:13:5: error: an import cannot be used in a kernel
#   13 |     import math as m
#      |     ^~~~~~~~~~~~~~~~
#   help:     import outside of the kernel: modules and their members are found as globals
